// The list of findings with its filters. Rows have fixed heights, so that only those on the screen are drawn.
import { useEffect, useMemo } from 'preact/hooks';
import { counts, filtered, grouped, type Filters, type Grouping } from './filters';
import { basename, isActive, isView, placeOf, sitesOf, type Finding } from './model';
import { brief, plural, visible } from './text';
import { bringIntoView, usePrinting, useView } from './windowed';

const ROW = 66;
const HEAD = 34;

interface Item {
  top: number;
  height: number;
  head?: { name: string; title: string; count: number };
  finding?: Finding;
}

function itemsOf(findings: Finding[], grouping: Grouping): Item[] {
  const items: Item[] = [];
  let top = 0;
  for (const group of grouped(findings, grouping)) {
    if (group.name) {
      items.push({ top, height: HEAD, head: { name: group.name, title: group.title, count: group.findings.length } });
      top += HEAD;
    }
    for (const finding of group.findings) {
      items.push({ top, height: ROW, finding });
      top += ROW;
    }
  }
  return items;
}

function toggled(set: Set<string>, value: string): Set<string> {
  const copy = new Set(set);
  if (!copy.delete(value)) copy.add(value);
  return copy;
}

function Chips(props: { label: string; values: Map<string, number>; chosen: Set<string>; choose: (set: Set<string>) => void }) {
  const names = [...new Set([...props.values.keys(), ...props.chosen])].sort();
  if (names.length < 2 && props.chosen.size === 0) return null;
  return (
    <div class="chips" role="group" aria-label={props.label}>
      {names.map((name) => (
        <button
          key={name}
          type="button"
          class={`chip ${props.label === 'status' ? `status-${name}` : ''}`}
          aria-pressed={props.chosen.has(name)}
          onClick={() => props.choose(toggled(props.chosen, name))}
        >
          {name} <span class="count">{props.values.get(name) ?? 0}</span>
        </button>
      ))}
    </div>
  );
}

function FilterBar(props: { all: Finding[]; filters: Filters; change: (filters: Filters) => void }) {
  const { all, filters, change } = props;
  const kinds = useMemo(() => counts(all, filters, 'kinds'), [all, filters]);
  const statuses = useMemo(() => counts(all, filters, 'statuses'), [all, filters]);
  const files = useMemo(() => counts(all, filters, 'file'), [all, filters]);
  const hidden = all.filter((finding) => !isActive(finding)).length;
  return (
    <div class="filters">
      <input
        type="search"
        id="filter-text"
        placeholder="Filter: words, functions, files   ( / )"
        aria-label="Filter findings by text"
        value={filters.text}
        onInput={(event) => change({ ...filters, text: event.currentTarget.value })}
      />
      <Chips label="kind" values={kinds} chosen={filters.kinds} choose={(set) => change({ ...filters, kinds: set })} />
      <Chips label="status" values={statuses} chosen={filters.statuses} choose={(set) => change({ ...filters, statuses: set })} />
      <div class="selects">
        <select aria-label="File" value={filters.file} onChange={(event) => change({ ...filters, file: event.currentTarget.value })}>
          <option value="">all files</option>
          {[...files].sort((a, b) => b[1] - a[1]).map(([file, count]) => (
            <option key={file} value={file} title={file}>
              {visible(basename(file) || 'place not known')} ({count})
            </option>
          ))}
        </select>
        <select
          aria-label="Group by"
          value={filters.grouping}
          onChange={(event) => change({ ...filters, grouping: event.currentTarget.value as Grouping })}
        >
          <option value="file">by file</option>
          <option value="kind">by kind</option>
          <option value="none">no groups</option>
        </select>
      </div>
      {hidden > 0 && (
        <label class="check">
          <input type="checkbox" checked={filters.hidden} onChange={() => change({ ...filters, hidden: !filters.hidden })} />
          also show {plural(hidden, 'finding')} that {hidden === 1 ? 'is' : 'are'} suppressed or known
        </label>
      )}
    </div>
  );
}

function Marks(props: { finding: Finding; baseline: boolean }) {
  const { finding, baseline } = props;
  return (
    <>
      {finding.suppressed && <span class="mark">suppressed</span>}
      {finding.known && <span class="mark">known</span>}
      {baseline && isActive(finding) && <span class="mark new">new</span>}
      {finding.tests && finding.tests.length > 0 && <span class="mark">{plural(finding.tests.length, 'test')}</span>}
      {finding.count > 1 && <span class="mark">{finding.count} times</span>}
    </>
  );
}

function Row(props: { item: Item; selected: boolean; baseline: boolean; select: () => void; position: number; total: number }) {
  const finding = props.item.finding as Finding;
  const places = [...new Set(sitesOf(finding).map(placeOf).filter(Boolean))].slice(0, 3);
  return (
    <div
      id={`item-${finding.id}`}
      role="option"
      aria-selected={props.selected}
      aria-posinset={props.position}
      aria-setsize={props.total}
      class={`row status-${finding.status}${isActive(finding) ? '' : ' quiet'}`}
      style={{ top: props.item.top, height: ROW }}
      onClick={props.select}
    >
      <div class="row-top">
        <span class="id">{finding.id}</span> <span class="kind">{finding.kind}</span>
        <span class="status">{finding.status}</span>
        <Marks finding={finding} baseline={props.baseline} />
      </div>
      <div class="row-message" title={visible(finding.message)}>{brief(finding.message)}</div>
      <div class="row-place">{visible(places.join(' · '))}</div>
    </div>
  );
}

export function FindingList(props: {
  findings: Finding[];
  filters: Filters;
  change: (filters: Filters) => void;
  selected: string;
  select: (id: string) => void;
  baseline: boolean;
}) {
  const { findings, filters, selected, select } = props;
  const shown = useMemo(() => filtered(findings, filters), [findings, filters]);
  const items = useMemo(() => itemsOf(shown, filters.grouping), [shown, filters.grouping]);
  const rows = useMemo(() => items.filter((item) => item.finding), [items]);
  const { ref, from, to } = useView<HTMLDivElement>();
  const printing = usePrinting();
  const last = items[items.length - 1];
  const height = last ? last.top + last.height : 0;
  const at = rows.findIndex((item) => item.finding?.id === selected);
  useEffect(() => {
    if (at >= 0) bringIntoView(ref.current, rows[at].top, rows[at].top + ROW, HEAD);
  }, [at, rows]);
  const move = (event: KeyboardEvent) => {
    const page = Math.max(1, Math.floor((ref.current?.clientHeight ?? ROW) / ROW) - 1);
    const moves: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -rows.length, End: rows.length };
    const by = moves[event.key];
    if (by === undefined || rows.length === 0) return;
    event.preventDefault();
    event.stopPropagation();
    const next = Math.min(rows.length - 1, Math.max(0, (at < 0 ? -1 : at) + by));
    select(rows[next].finding?.id ?? '');
  };
  const visibleItems = printing ? [] : items.filter((item) => item.top + item.height >= from && item.top <= to);
  const positions = new Map(rows.map((item, i) => [item, i + 1]));
  const noun = findings.length > 0 && findings.every(isView) ? findings[0].kind : 'finding';
  return (
    <nav class="list" aria-label="Findings">
      <FilterBar all={findings} filters={filters} change={props.change} />
      <div class="list-count" role="status">
        {shown.length === findings.length ? plural(shown.length, noun) : `${shown.length} of ${plural(findings.length, noun)}`}
      </div>
      <div
        ref={ref}
        class="scroll"
        id="findings"
        role="listbox"
        tabIndex={0}
        aria-label="Findings"
        aria-activedescendant={at >= 0 ? `item-${selected}` : undefined}
        onKeyDown={move}
      >
        <div class="tall" style={{ height }} role="presentation">
          {visibleItems.map((item) =>
            item.head ? (
              <div key={`head ${item.head.title}`} class="group" role="presentation" style={{ top: item.top, height: HEAD }} title={visible(item.head.title)}>
                <span>{visible(item.head.name)}</span>
                <span class="count">{item.head.count}</span>
              </div>
            ) : (
              <Row
                key={item.finding?.id}
                item={item}
                selected={item.finding?.id === selected}
                baseline={props.baseline}
                select={() => select(item.finding?.id ?? '')}
                position={positions.get(item) ?? 0}
                total={rows.length}
              />
            ),
          )}
        </div>
        {shown.length === 0 && <p class="empty">{findings.length === 0 ? 'No findings.' : 'No finding passes these filters.'}</p>}
      </div>
    </nav>
  );
}
