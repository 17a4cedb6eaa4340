// One finding: the story in words, the commands, then the diagram with the source beside it.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Diagram, LockLegend } from './diagram';
import { hasRecorded, layoutOf, movedSteps } from './layout';
import { isActive, isView, type Excerpt, type Finding } from './model';
import { StackList, StepSource } from './source';
import { statusWords, storyOf } from './story';
import { brief, plural, visible } from './text';

function CopyLine(props: { label: string; command: string }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(props.command);
    } catch {
      const area = document.createElement('textarea'); // pages from a file may not use the clipboard
      area.value = props.command;
      document.body.append(area);
      area.select();
      document.execCommand('copy');
      area.remove();
    }
    setCopied(true);
    setTimeout(() => setCopied(false), 1500);
  };
  return (
    <div class="command">
      <code>{visible(props.command)}</code>
      <button type="button" onClick={copy} aria-label={`Copy the command: ${props.label}`}>
        {copied ? 'copied' : 'copy'}
      </button>
    </div>
  );
}

// Words in back quotes are code.
function Words(props: { text: string }) {
  const parts = brief(props.text).split('`');
  return <>{parts.map((part, i) => (i % 2 === 1 && i < parts.length - 1 ? <code key={i}>{part}</code> : part))}</>;
}

function StoryView(props: { finding: Finding }) {
  const { finding } = props;
  const story = useMemo(() => storyOf(finding), [finding]);
  return (
    <section class="story" aria-label="What happens">
      {story.what.map((text) => (
        <p key={text} class="who"><Words text={text} /></p>
      ))}
      {story.means && <p><Words text={story.means} /></p>}
      {story.why && <p><b>Why runs hide it: </b><Words text={story.why} /></p>}
      {story.change && <p class="change"><b>What to change: </b><Words text={story.change} /></p>}
      {finding.suppressed && <p><b>Suppressed</b> by <code>{visible(finding.suppressed.rule)}</code>: {visible(finding.suppressed.reason)}</p>}
      {finding.known && <p><b>Known:</b> it is in the baseline.</p>}
      {finding.tests && finding.tests.length > 0 && (
        <details class="tests">
          <summary>Shown by {plural(finding.tests.length, 'test')}: {visible(finding.tests.slice(0, 3).join(', '))}{finding.tests.length > 3 ? ', …' : ''}</summary>
          <ul>{finding.tests.map((test) => <li key={test}>{visible(test)}</li>)}</ul>
        </details>
      )}
      {finding.output && finding.output.length > 0 && (
        <details class="output">
          <summary>What the program printed last</summary>
          <pre>{visible(finding.output.join('\n'))}</pre>
        </details>
      )}
      {finding.memory?.allocation_stack && <StackList title="The memory was allocated at" stack={finding.memory.allocation_stack} />}
    </section>
  );
}

function useWidth() {
  const ref = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(900);
  useEffect(() => {
    const element = ref.current;
    if (!element) return undefined;
    const watcher = new ResizeObserver(() => setWidth(element.clientWidth));
    watcher.observe(element);
    return () => watcher.disconnect();
  }, []);
  return { ref, width };
}

export function Detail(props: {
  finding: Finding;
  step: number; // place in the witness, from 0
  choose: (step: number) => void;
  sources: Record<string, Excerpt[]>;
  baseline: boolean;
  back: () => void;
}) {
  const { finding } = props;
  const [beside, setBeside] = useState(false);
  const witness = useMemo(() => layoutOf(finding), [finding]);
  const recorded = useMemo(() => (hasRecorded(finding) ? layoutOf(finding, true) : null), [finding]);
  const moved = useMemo(() => (recorded ? movedSteps(witness, recorded) : new Set<number>()), [witness, recorded]);
  const { ref, width } = useWidth();
  const total = witness.cells.length;
  const at = Math.min(Math.max(0, props.step), Math.max(0, total - 1));
  const cell = witness.cells[at];
  const select = (index: number) => props.choose(witness.cells.findIndex((candidate) => candidate.index === index));
  const wide = width > 820;
  const diagramWidth = (wide ? width - 420 : width) / (beside && recorded ? (wide ? 2 : 1) : 1) - 20;
  return (
    <article class="detail" aria-labelledby="title">
      <button type="button" class="back" onClick={props.back}>‹ all {isView(finding) ? 'of them' : 'findings'}</button>
      <header>
        <div class="badges">
          <span class="id">{finding.id}</span>
          <span class="kind">{finding.kind}</span>
          <span class={`status status-${finding.status}`}>{visible(statusWords(finding))}</span>
          {finding.count > 1 && <span class="mark">{finding.count} times</span>}
          {props.baseline && isActive(finding) && !isView(finding) && <span class="mark new">new since the baseline</span>}
          <a class="permalink" href={`#${finding.id}${total > 0 ? `/${at + 1}` : ''}`} title="A link to this finding and step">link</a>
        </div>
        <h1 id="title"><Words text={finding.message} /></h1>
      </header>
      <StoryView finding={finding} />
      {finding.replay && (
        <section class="commands" aria-label="Commands">
          <CopyLine label="replay" command={finding.replay} />
          <CopyLine label="replay under gdb" command={finding.replay.replace(/^heddle replay (\S+)/, 'heddle replay $1 --gdb')} />
        </section>
      )}
      {total > 0 && (
        <section class="walk" aria-label="Steps">
          <div class="walk-bar">
            <button type="button" onClick={() => props.choose(at - 1)} disabled={at === 0} aria-label="Previous step">‹</button>
            <input
              type="range"
              min={1}
              max={total}
              value={at + 1}
              aria-label="Step"
              aria-valuetext={`step ${at + 1} of ${total}`}
              onInput={(event) => props.choose(Number(event.currentTarget.value) - 1)}
            />
            <button type="button" onClick={() => props.choose(at + 1)} disabled={at === total - 1} aria-label="Next step">›</button>
            <span class="walk-count">step {at + 1} of {total}</span>
            {recorded && (
              <label class="check">
                <input type="checkbox" checked={beside} onChange={() => setBeside(!beside)} />
                recorded run beside it
              </label>
            )}
          </div>
          <LockLegend finding={finding} />
          <div class={`panes${wide ? ' wide' : ''}`} ref={ref}>
            <div class={`diagrams${beside && recorded ? ' two' : ''}`}>
              <figure>
                {beside && recorded && <figcaption>in which it happens</figcaption>}
                <Diagram finding={finding} recorded={false} moved={beside ? moved : new Set()} selected={cell.index} select={select} available={diagramWidth} title="Steps of the witness" />
              </figure>
              {beside && recorded && (
                <figure>
                  <figcaption>as recorded{moved.size > 0 ? ` (↕ ${plural(moved.size, 'step')} moved)` : ''}</figcaption>
                  <Diagram finding={finding} recorded={true} moved={moved} selected={cell.index} select={select} available={diagramWidth} title="Steps of the recorded run" />
                </figure>
              )}
            </div>
            <StepSource finding={finding} step={cell.step} sources={props.sources} />
          </div>
        </section>
      )}
      {!isView(finding) && <footer class="fingerprint">fingerprint {finding.fingerprint}</footer>}
    </article>
  );
}
