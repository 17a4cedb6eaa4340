// Draws only what is on the screen: which items of a long column are visible in a scrolling element.
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

export interface View {
  top: number;
  height: number;
}

const MARGIN = 300; // drawn above and below, so that a quick scroll shows no gap

export function useView<T extends HTMLElement>() {
  const ref = useRef<T>(null);
  const [view, setView] = useState<View>({ top: 0, height: 800 });
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return undefined;
    let frame = 0;
    const update = () => {
      frame = 0;
      setView((old) =>
        old.top === element.scrollTop && old.height === element.clientHeight
          ? old
          : { top: element.scrollTop, height: element.clientHeight },
      );
    };
    const soon = () => {
      if (!frame) frame = requestAnimationFrame(update);
    };
    update();
    element.addEventListener('scroll', soon, { passive: true });
    const watcher = new ResizeObserver(soon);
    watcher.observe(element);
    return () => {
      element.removeEventListener('scroll', soon);
      watcher.disconnect();
      if (frame) cancelAnimationFrame(frame);
    };
  }, []);
  return { ref, from: view.top - MARGIN, to: view.top + view.height + MARGIN };
}

// Shows [top, bottom) below a sticky head: scrolls by little when it is near, else to the middle.
export function bringIntoView(element: HTMLElement | null, top: number, bottom: number, head: number): void {
  if (!element) return;
  const height = element.clientHeight;
  const size = bottom - top;
  const above = element.scrollTop + head - top;
  const below = bottom - element.scrollTop - height;
  if (above > 2 * size || below > 2 * size) element.scrollTop = Math.max(0, (top + bottom - height) / 2);
  else if (above > 0) element.scrollTop = Math.max(0, top - head);
  else if (below > 0) element.scrollTop += below;
}

// True while the browser prints: then everything is drawn, up to a limit that the caller chooses.
export function usePrinting(): boolean {
  const [printing, setPrinting] = useState(false);
  useEffect(() => {
    const media = window.matchMedia('print');
    const changed = () => setPrinting(media.matches);
    const before = () => setPrinting(true);
    const after = () => setPrinting(false);
    media.addEventListener('change', changed);
    window.addEventListener('beforeprint', before);
    window.addEventListener('afterprint', after);
    return () => {
      media.removeEventListener('change', changed);
      window.removeEventListener('beforeprint', before);
      window.removeEventListener('afterprint', after);
    };
  }, []);
  return printing;
}
