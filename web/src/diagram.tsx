// The space-time diagram: a column for each thread, steps downwards, bars for locks held, arrows for the order that
// exists. What makes up the finding is red; a race has no arrow between its two sides; what a deadlock waits for is
// dashed. Only the rows on the screen are drawn.
import { useEffect, useMemo } from 'preact/hooks';
import { layoutOf, type Bar, type Cell, type Edge, type Layout } from './layout';
import { isView, placeOf, stepText, type Finding } from './model';
import { brief, cut, visible } from './text';
import { bringIntoView, usePrinting, useView } from './windowed';

const ROW = 44;
const TOP = 52; // the heads of the columns
const GUTTER = 44; // row numbers
const LANE = 9;
const MOST_PRINTED = 400;

interface Geometry {
  column: number; // width
  x: (column: number) => number; // of the thread's line
  y: (row: number) => number; // middle of the row
  width: number;
  characters: number; // that fit beside the line
  lanes: number; // width of the bars left of it
}

function geometryOf(layout: Layout, available: number): Geometry {
  const columns = Math.max(1, layout.threads.length);
  const most = Math.max(0, ...layout.lanes) * LANE;
  const column = Math.max(170 + most, Math.min(340, Math.floor((available - GUTTER - 8) / columns)));
  return {
    column,
    x: (index) => GUTTER + index * column + 22 + most,
    y: (row) => row * ROW + ROW / 2,
    width: GUTTER + columns * column + 8,
    lanes: most,
    characters: Math.max(12, Math.floor((column - most - 50) / 7.9)),
  };
}

function lockNumbers(layout: Layout): Map<string, number> {
  const numbers = new Map<string, number>();
  for (const bar of layout.bars) if (!numbers.has(bar.lock)) numbers.set(bar.lock, numbers.size);
  return numbers;
}

function describe(finding: Finding, cell: Cell, layout: Layout, position: number): string {
  const thread = finding.threads.find((known) => known.id === cell.step.thread);
  const parts = [`Step ${position + 1} of ${layout.cells.length}`, `thread ${cell.step.thread}${thread?.name ? ` ${thread.name}` : ''}`];
  parts.push(stepText(cell.step));
  if (placeOf(cell.step)) parts.push(placeOf(cell.step));
  const view = isView(finding);
  if (view) for (const edge of layout.edges) if (edge.from === cell) parts.push(`${edge.why} to ${edge.to.step.thread} ${stepText(edge.to.step)}`);
  if (!view) parts.push(cell.step.locks.length > 0 ? `holds ${cell.step.locks.join(', ')}` : 'no lock held');
  if (cell.step.site) parts.push(view ? 'marked' : 'part of the finding');
  const beside = layout.cells.slice(layout.firstOfRow[cell.row], layout.firstOfRow[cell.row + 1]).filter((other) => other !== cell);
  if (beside.length > 0 && !view) parts.push(`not ordered with ${beside.map((other) => other.step.thread).join(', ')}`);
  return visible(parts.join(', '));
}

function BarShape(props: { bar: Bar; geometry: Geometry; number: number; top: number; bottom: number }) {
  const { bar, geometry } = props;
  const x = geometry.x(bar.column) - 10 - bar.lane * LANE;
  const first = Math.max(geometry.y(bar.first) - 12, props.top);
  const last = Math.min(geometry.y(bar.last) + 12, props.bottom);
  if (last <= first) return null;
  const name = visible(bar.lock);
  return (
    <g class={`bar lock-${props.number % 6}`}>
      <title>{`${name} is held here`}</title>
      <rect x={x - 3} y={first} width={6} height={last - first} rx={3} />
    </g>
  );
}

// From below one dot to above the other, so that the texts, which stand right of the dots, stay free.
function orderPath(edge: Edge, geometry: Geometry): string {
  const [x1, x2] = [geometry.x(edge.from.column), geometry.x(edge.to.column)];
  const [y1, y2] = [geometry.y(edge.from.row) + 7, geometry.y(edge.to.row) - 9];
  const bend = Math.max(12, Math.min(ROW, (y2 - y1) / 2));
  const side = edge.from.column === edge.to.column ? -20 : 0;
  return `M${x1},${y1} C${x1 + side},${y1 + bend} ${x2 + side},${y2 - bend} ${x2},${y2}`;
}

// Below the row of the one that waits, then up beside the thread that it waits for, to where that took the lock.
function waitPath(edge: Edge, geometry: Geometry): string {
  const [x1, x2] = [geometry.x(edge.from.column), geometry.x(edge.to.column)];
  const [y1, y2] = [geometry.y(edge.from.row), geometry.y(edge.to.row)];
  const low = y1 + ROW / 2 + (edge.from.column < edge.to.column ? 5 : 13);
  const beside = x2 - geometry.lanes - 12;
  return `M${x1},${y1 + 8} L${x1},${low} L${beside},${low} L${beside},${y2} L${x2 - 9},${y2}`;
}

// A relation of a memory model may go up as well as down: a curve with its name on it.
function RelationShape(props: { edge: Edge; geometry: Geometry }) {
  const { edge, geometry } = props;
  const [x1, x2] = [geometry.x(edge.from.column), geometry.x(edge.to.column)];
  const [y1, y2] = [geometry.y(edge.from.row), geometry.y(edge.to.row)];
  const length = Math.max(1, Math.hypot(x2 - x1, y2 - y1));
  const [dx, dy] = [(x2 - x1) / length, (y2 - y1) / length];
  const bend = edge.why === 'fr' ? 26 : edge.why === 'co' ? -30 : -16;
  const [mx, my] = [(x1 + x2) / 2 - dy * bend, (y1 + y2) / 2 + dx * bend];
  return (
    <g class={`edge relation relation-${/^[a-z]+$/.test(edge.why) ? edge.why : 'other'}`}>
      <title>{`${visible(edge.why)}: ${RELATIONS[edge.why] ?? 'related'}`}</title>
      <path d={`M${x1 + dx * 9},${y1 + dy * 9} Q${mx},${my} ${x2 - dx * 11},${y2 - dy * 11}`} marker-end="url(#head)" />
      <text x={(x1 + 2 * mx + x2) / 4} y={(y1 + 2 * my + y2) / 4 + 4} text-anchor="middle">{visible(edge.why)}</text>
    </g>
  );
}

const RELATIONS: Record<string, string> = {
  rf: 'the read takes its value from this write',
  co: 'this write comes before the other in memory',
  fr: 'the read saw a value that this write replaces',
  addr: 'the address depends on it',
  data: 'the value depends on it',
  ctrl: 'a branch depends on it',
};

function EdgeShape(props: { edge: Edge; geometry: Geometry }) {
  const { edge, geometry } = props;
  const waits = edge.why === 'waits';
  const path = waits ? waitPath(edge, geometry) : orderPath(edge, geometry);
  return (
    <path class={waits ? 'edge waits' : 'edge'} d={path} marker-end={waits ? 'url(#head-waits)' : 'url(#head)'}>
      <title>{waits ? `waits for what ${visible(edge.to.step.thread)} holds or does` : `ordered: ${visible(edge.why)}`}</title>
    </path>
  );
}

// The red double line between the sides of a race: they are not ordered.
function RaceLink(props: { cells: Cell[]; geometry: Geometry }) {
  const { cells, geometry } = props;
  const xs = cells.map((cell) => geometry.x(cell.column)).sort((a, b) => a - b);
  const y = geometry.y(cells[0].row) + ROW / 2 + 3;
  return (
    <g class="race-link">
      <title>nothing orders these accesses</title>
      {[0, 4].map((down) => (
        <line key={down} x1={xs[0]} y1={y + down} x2={xs[xs.length - 1]} y2={y + down} />
      ))}
      {xs.map((x) => (
        <line key={x} x1={x} y1={y - 16} x2={x} y2={y + 4} />
      ))}
    </g>
  );
}

function CellShape(props: {
  cell: Cell;
  geometry: Geometry;
  label: string;
  below: string; // the second line
  id: string;
  position: number;
  total: number;
  selected: boolean;
  moved: boolean;
  select: () => void;
}) {
  const { cell, geometry } = props;
  const x = geometry.x(cell.column);
  const y = geometry.y(cell.row);
  const site = Boolean(cell.step.site);
  const classes = ['cell', site ? 'site' : '', props.selected ? 'selected' : '', props.moved ? 'moved' : ''].join(' ');
  return (
    <g
      id={props.id}
      class={classes}
      role="option"
      aria-label={props.label}
      aria-selected={props.selected}
      aria-posinset={props.position + 1}
      aria-setsize={props.total}
      onClick={props.select}
    >
      <rect class="touch" x={x - 8} y={y - ROW / 2 + 1} width={geometry.column - geometry.lanes - 24} height={ROW - 2} rx={5} />
      {site ? <rect class="dot" x={x - 6} y={y - 6} width={12} height={12} transform={`rotate(45 ${x} ${y})`} /> : <circle class="dot" cx={x} cy={y} r={5} />}
      <text class="code" x={x + 14} y={y - 2}>
        {cut(brief(stepText(cell.step)), geometry.characters)}
        <title>{visible(stepText(cell.step))}</title>
      </text>
      <text class="place" x={x + 14} y={y + 13}>
        {props.moved ? '↕ ' : ''}
        {visible(cut(props.below, geometry.characters))}
      </text>
    </g>
  );
}

function Heads(props: { finding: Finding; layout: Layout; geometry: Geometry }) {
  const { finding, layout, geometry } = props;
  return (
    <svg class="heads" width={geometry.width} height={TOP} aria-hidden="true">
      {layout.threads.map((id, column) => {
        const name = finding.threads.find((known) => known.id === id)?.name ?? '';
        const x = geometry.x(column);
        return (
          <g key={id}>
            <text class="thread" x={x - 6} y={22}>{visible(id)}</text>
            <text class="thread-name" x={x - 6} y={39}>
              {visible(cut(name, geometry.characters))}
              <title>{visible(name)}</title>
            </text>
          </g>
        );
      })}
    </svg>
  );
}

export function Diagram(props: {
  finding: Finding;
  recorded: boolean;
  moved: Set<number>;
  selected: number; // index of the step in the finding
  select: (index: number) => void;
  available: number; // pixels
  title: string;
}) {
  const { finding, selected } = props;
  const layout = useMemo(() => layoutOf(finding, props.recorded), [finding, props.recorded]);
  const geometry = useMemo(() => geometryOf(layout, props.available), [layout, props.available]);
  const numbers = useMemo(() => lockNumbers(layout), [layout]);
  const { ref, from, to } = useView<HTMLDivElement>();
  const printing = usePrinting();
  const prefix = `${finding.id}-${props.recorded ? 'r' : 'w'}`;
  const firstRow = printing ? 0 : Math.max(0, Math.floor((from - TOP) / ROW));
  const lastRow = printing ? Math.min(layout.rows, MOST_PRINTED) - 1 : Math.min(layout.rows - 1, Math.ceil((to - TOP) / ROW));
  const start = layout.rows === 0 ? 0 : layout.firstOfRow[Math.min(firstRow, layout.rows - 1)];
  const end = layout.firstOfRow[lastRow + 1] ?? layout.cells.length;
  const cells = layout.cells.slice(start, end);
  const selectedAt = layout.cells.findIndex((cell) => cell.index === selected);
  useEffect(() => {
    const row = selectedAt >= 0 ? layout.cells[selectedAt].row : 0;
    bringIntoView(ref.current, row * ROW + TOP, (row + 1) * ROW + TOP, TOP);
    const box = ref.current;
    if (box && selectedAt >= 0) {
      const x = geometry.x(layout.cells[selectedAt].column);
      if (x - 40 < box.scrollLeft || x + geometry.column - 30 > box.scrollLeft + box.clientWidth) box.scrollLeft = Math.max(0, x - 60);
    }
  }, [selectedAt, layout]);
  const top = Math.max(0, firstRow) * ROW;
  const bottom = (lastRow + 1) * ROW;
  const races = finding.kind === 'data-race' ? cells.filter((cell) => cell.step.site) : [];
  const raceRow = races.filter((cell) => cell.row === races[0].row);
  const move = (event: KeyboardEvent) => {
    const rowsOnScreen = Math.max(1, Math.floor((ref.current?.clientHeight ?? ROW) / ROW) - 2);
    const moves: Record<string, number> = {
      ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1, PageDown: rowsOnScreen, PageUp: -rowsOnScreen, Home: -layout.cells.length, End: layout.cells.length,
    };
    const by = moves[event.key];
    if (by === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    const next = Math.min(layout.cells.length - 1, Math.max(0, selectedAt + by));
    props.select(layout.cells[next].index);
  };
  return (
    <div
      ref={ref}
      class="diagram"
      role="listbox"
      tabIndex={0}
      aria-label={props.title}
      aria-activedescendant={selectedAt >= 0 ? `${prefix}-${selected}` : undefined}
      onKeyDown={move}
    >
      <div class="diagram-head" style={{ width: geometry.width }} role="presentation">
        <Heads finding={finding} layout={layout} geometry={geometry} />
      </div>
      <svg width={geometry.width} height={Math.max(1, layout.rows) * ROW + 22} role="presentation" focusable="false">
        <defs>
          <marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
            <path d="M0,0 L8,4 L0,8 z" class="arrow-head" />
          </marker>
          <marker id="head-waits" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">
            <path d="M0,0 L8,4 L0,8 z" class="arrow-head-waits" />
          </marker>
        </defs>
        {layout.threads.map((id, column) => (
          <line key={id} class="life" x1={geometry.x(column)} x2={geometry.x(column)} y1={top} y2={bottom} />
        ))}
        {layout.bars
          .filter((bar) => bar.last >= firstRow && bar.first <= lastRow)
          .map((bar) => (
            <BarShape key={`${bar.column} ${bar.lock} ${bar.first}`} bar={bar} geometry={geometry} number={numbers.get(bar.lock) ?? 0} top={top} bottom={bottom} />
          ))}
        {cells.map((cell, i) => (
          <g key={cell.index} role="presentation">
            {(i === 0 || cells[i - 1].row !== cell.row) && (
              <text class="number" x={GUTTER - 14} y={geometry.y(cell.row) + 4} aria-hidden="true">{cell.row + 1}</text>
            )}
            <CellShape
              cell={cell}
              geometry={geometry}
              below={(isView(finding) ? cell.step.operand : placeOf(cell.step)) ?? ''}
              label={describe(finding, cell, layout, start + i)}
              id={`${prefix}-${cell.index}`}
              position={start + i}
              total={layout.cells.length}
              selected={cell.index === selected}
              moved={props.moved.has(cell.index)}
              select={() => props.select(cell.index)}
            />
          </g>
        ))}
        {raceRow.length > 1 && !props.recorded && <RaceLink cells={raceRow} geometry={geometry} />}
        {layout.edges
          .filter((edge) => Math.max(edge.from.row, edge.to.row) >= firstRow && Math.min(edge.from.row, edge.to.row) <= lastRow)
          .map((edge) => (
            finding.kind === 'execution'
              ? <RelationShape key={`${edge.from.index} ${edge.to.index} ${edge.why}`} edge={edge} geometry={geometry} />
              : <EdgeShape key={`${edge.from.index} ${edge.to.index} ${edge.why}`} edge={edge} geometry={geometry} />
          ))}
      </svg>
      {printing && layout.rows > MOST_PRINTED && <p>{layout.rows - MOST_PRINTED} further rows are not printed.</p>}
    </div>
  );
}

function ViewLegend(props: { layout: Layout }) {
  const names = [...new Set(props.layout.edges.map((edge) => edge.why))].filter((name) => RELATIONS[name]);
  const marked = props.layout.cells.some((cell) => cell.step.site);
  return (
    <ul class="legend" aria-label="What the marks mean">
      {names.map((name) => <li key={name}><span class="sign">{name}</span> {RELATIONS[name]}</li>)}
      {marked && <li><span class="sign red">◆</span> what makes it impossible, or the wrong step</li>}
    </ul>
  );
}

export function LockLegend(props: { finding: Finding }) {
  const layout = useMemo(() => layoutOf(props.finding), [props.finding]);
  const numbers = [...lockNumbers(layout)].slice(0, 12);
  if (isView(props.finding)) return <ViewLegend layout={layout} />;
  const waits = layout.edges.some((edge) => edge.why === 'waits');
  const ordered = layout.edges.some((edge) => edge.why !== 'waits');
  return (
    <ul class="legend" aria-label="What the marks mean">
      {numbers.map(([lock, number]) => (
        <li key={lock}>
          <span class={`swatch lock-${number % 6}`} /> {brief(lock)} held
        </li>
      ))}
      {ordered && <li><span class="sign">→</span> ordered</li>}
      {waits && <li><span class="sign red">⇢</span> waits for</li>}
      {props.finding.kind === 'data-race' && <li><span class="sign red">═</span> not ordered</li>}
      <li><span class="sign red">◆</span> part of the finding</li>
    </ul>
  );
}
