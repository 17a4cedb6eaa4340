// The page of a report: the list on the left, the chosen finding on the right. The address holds the finding and the
// step (#F3/12), so that a link leads to both.
import { render } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useState } from 'preact/hooks';
import { Detail } from './detail';
import { filtered, NO_FILTERS, type Filters } from './filters';
import { FindingList } from './list';
import { loadData, type Finding, type PageData } from './model';
import { layoutOf } from './layout';
import { Overview } from './overview';
import { Streams } from './streams';
import { visible } from './text';
import './style.css';

interface Where {
  finding: string;
  step: number; // from 0; -1: the first that makes up the finding
}

function readAddress(): Where {
  const match = /^#([FV]\d+)(?:\/(\d+))?$/.exec(location.hash);
  return { finding: match?.[1] ?? '', step: match?.[2] ? Number(match[2]) - 1 : -1 };
}

function firstSite(finding: Finding): number {
  const cells = layoutOf(finding).cells;
  return Math.max(0, cells.findIndex((cell) => cell.step.site));
}

const THEMES = ['auto', 'light', 'dark'] as const;
type Theme = (typeof THEMES)[number];

function savedTheme(): Theme {
  try {
    const saved = localStorage.getItem('heddle-theme');
    return THEMES.find((theme) => theme === saved) ?? 'auto';
  } catch {
    return 'auto';
  }
}

function useTheme(): [Theme, () => void] {
  const [theme, setTheme] = useState<Theme>(savedTheme);
  useLayoutEffect(() => {
    document.documentElement.dataset.theme = theme;
    try {
      localStorage.setItem('heddle-theme', theme);
    } catch {
      // A page from a file may have no storage; the choice then lasts as long as the page.
    }
  }, [theme]);
  return [theme, () => setTheme((now) => THEMES[(THEMES.indexOf(now) + 1) % THEMES.length])];
}

function Help(props: { close: () => void }) {
  const keys = [
    ['j  k', 'next and previous finding'],
    ['n  p', 'next and previous step'],
    ['↑ ↓ Home End', 'in the list and in the diagram'],
    ['/', 'filter'],
    ['t', 'light, dark, as the system'],
    ['?', 'this list'],
  ];
  return (
    <div class="help" role="dialog" aria-modal="true" aria-label="Keys" onKeyDown={(event) => event.key === 'Escape' && props.close()}>
      <dl>{keys.map(([key, text]) => [<dt key={key}>{key}</dt>, <dd key={text}>{text}</dd>])}</dl>
      <button type="button" onClick={props.close} ref={(button) => button?.focus()}>close</button>
    </div>
  );
}

function App(props: { data: PageData }) {
  const { report, sources, baseline } = props.data;
  const all = useMemo(() => [...report.findings, ...(props.data.views ?? [])], [props.data]);
  const [filters, setFilters] = useState<Filters>({ ...NO_FILTERS, hidden: Boolean(readAddress().finding) });
  const [where, setWhere] = useState<Where>(readAddress);
  const [theme, nextTheme] = useTheme();
  const [help, setHelp] = useState(false);
  const finding = all.find((known) => known.id === where.finding);
  const step = finding ? (where.step >= 0 ? where.step : firstSite(finding)) : 0;
  const go = (id: string, to: number) => {
    const target = id ? `#${id}${to >= 0 ? `/${to + 1}` : ''}` : '#';
    if (id === where.finding) history.replaceState(null, '', target);
    else history.pushState(null, '', target);
    setWhere({ finding: id, step: to });
  };
  useEffect(() => {
    const changed = () => setWhere(readAddress());
    window.addEventListener('popstate', changed);
    window.addEventListener('hashchange', changed);
    return () => {
      window.removeEventListener('popstate', changed);
      window.removeEventListener('hashchange', changed);
    };
  }, []);
  useEffect(() => {
    document.title = `${finding ? `${finding.id} ${visible(finding.message)} · ` : ''}heddle: ${visible(report.program)}`;
  }, [finding]);
  useEffect(() => {
    const wide = window.matchMedia('(min-width: 821px)').matches;
    const first = filtered(all, filters)[0];
    if (!where.finding && first && wide) setWhere({ finding: first.id, step: -1 });
  }, []);
  // Before the next key comes, not after the next paint: held keys are faster than frames.
  useLayoutEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement;
      if (event.ctrlKey || event.metaKey || event.altKey || ['INPUT', 'SELECT', 'TEXTAREA'].includes(target.tagName)) {
        if (event.key === 'Escape') target.blur();
        return;
      }
      const shown = filtered(all, filters);
      const at = shown.findIndex((known) => known.id === where.finding);
      const total = finding ? layoutOf(finding).cells.length : 0;
      const choose = (next: number) => finding && total > 0 && go(finding.id, Math.min(total - 1, Math.max(0, next)));
      const actions: Record<string, () => void> = {
        j: () => shown.length > 0 && go(shown[Math.min(shown.length - 1, at + 1)].id, -1),
        k: () => shown.length > 0 && go(shown[Math.max(0, at - 1)].id, -1),
        n: () => choose(step + 1),
        p: () => choose(step - 1),
        ArrowRight: () => choose(step + 1),
        ArrowLeft: () => choose(step - 1),
        t: nextTheme,
        '/': () => document.getElementById('filter-text')?.focus(),
        '?': () => setHelp(true),
        Escape: () => setHelp(false),
      };
      const action = actions[event.key];
      if (!action) return;
      event.preventDefault();
      action();
    };
    window.addEventListener('keydown', pressed);
    return () => window.removeEventListener('keydown', pressed);
  });
  return (
    <div class={finding ? 'page chosen' : 'page'}>
      <a class="skip" href="#detail" onClick={(event) => { event.preventDefault(); document.getElementById('detail')?.focus(); }}>to the finding</a>
      <header class="top">
        <Overview data={props.data} />
        <div class="top-buttons">
          <button type="button" onClick={nextTheme} aria-label={`Colours: ${theme}`}>{theme === 'auto' ? '◐ auto' : theme === 'light' ? '○ light' : '● dark'}</button>
          <button type="button" class="keys" onClick={() => setHelp(true)} aria-label="Keys">keys</button>
        </div>
      </header>
      <FindingList findings={all} filters={filters} change={setFilters} selected={where.finding} select={(id) => go(id, -1)} baseline={baseline} />
      <main id="detail" tabIndex={-1}>
        {props.data.streams && props.data.streams.length > 0 && <Streams streams={props.data.streams} />}
        {finding ? (
          <Detail key={finding.id} finding={finding} step={step} choose={(next) => go(finding.id, next)} sources={sources} baseline={baseline} back={() => go('', -1)} />
        ) : (
          <p class="empty">{all.length === 0 ? (props.data.heading ? '' : 'Nothing was found; above is what that covers.') : where.finding ? `This report has no ${visible(where.finding)}.` : 'Choose a finding.'}</p>
        )}
      </main>
      {help && <Help close={() => setHelp(false)} />}
      <div class="made-by">heddle {visible(report.tool.version)}</div>
    </div>
  );
}

const root = document.getElementById('app');
if (root) {
  root.textContent = '';
  try {
    render(<App data={loadData()} />, root);
  } catch (problem) {
    root.textContent = `This page has no report that it can read: ${String(problem)}`;
  }
}
