// From steps to a drawing: which row and column a step has, which locks a thread holds from row to row, and which steps
// changed their place between the recorded run and the witness.
import type { Finding, Step } from './model';

export interface Cell {
  index: number; // of the step in the finding
  step: Step;
  row: number; // from 0, in the drawing
  column: number;
}

export interface Bar {
  lock: string;
  column: number;
  lane: number; // beside other locks of the same thread
  first: number; // row
  last: number;
}

export interface Edge {
  from: Cell;
  to: Cell;
  why: string;
}

export interface Layout {
  threads: string[];
  cells: Cell[]; // by row, then column
  rows: number;
  firstOfRow: number[]; // index into cells
  bars: Bar[];
  lanes: number[]; // by column: most locks held at a time
  edges: Edge[];
}

type Placed = { index: number; step: Step; at: number };

// Rows of the witness. A finding without one (a detector that saw two accesses) shows its sites in one row.
function witnessPlaces(finding: Finding): Placed[] {
  const all = finding.steps.map((step, index) => ({ index, step, at: step.row ?? 0 }));
  const rows = all.filter((placed) => placed.at > 0);
  if (rows.length > 0) return rows;
  const sites = all.filter((placed) => placed.step.site);
  const together = finding.kind === 'data-race' || finding.kind === 'deadlock';
  return sites.map((placed) => ({ ...placed, at: together ? 1 : (placed.step.site ?? 1) }));
}

// The same steps in the order of the recorded run. Plain accesses carry the number of the operation before them.
export function hasRecorded(finding: Finding): boolean {
  const rows = finding.steps.filter((step) => step.row);
  return rows.length > 1 && rows.every((step) => step.recorded);
}

function isPlain(step: Step): boolean {
  return step.what === 'read' || step.what === 'write' || step.what === 'free';
}

function recordedPlaces(finding: Finding): Placed[] {
  const all = witnessPlaces(finding);
  all.sort(
    (a, b) =>
      (a.step.recorded ?? 0) - (b.step.recorded ?? 0) || Number(isPlain(a.step)) - Number(isPlain(b.step)) || a.at - b.at,
  );
  return all.map((placed, row) => ({ ...placed, at: row + 1 }));
}

function columnsOf(finding: Finding, places: Placed[]): string[] {
  const used = new Set(places.map((placed) => placed.step.thread));
  const known = finding.threads.map((thread) => thread.id).filter((id) => used.has(id));
  for (const id of used) if (!known.includes(id)) known.push(id);
  return known;
}

function placeCells(places: Placed[], threads: string[]): Cell[] {
  const sorted = [...places].sort((a, b) => a.at - b.at);
  const cells: Cell[] = [];
  let row = -1;
  let at = NaN;
  let taken = new Set<number>();
  for (const placed of sorted) {
    const column = threads.indexOf(placed.step.thread);
    if (placed.at !== at || taken.has(column)) {
      row += 1;
      at = placed.at;
      taken = new Set();
    }
    taken.add(column);
    cells.push({ index: placed.index, step: placed.step, row, column });
  }
  return cells.sort((a, b) => a.row - b.row || a.column - b.column);
}

function takes(step: Step, lock: string): boolean {
  return step.operand === lock && /lock|wake|wait/.test(step.what) && !step.what.includes('unlock');
}

// A bar begins at the step that takes the lock, when it is drawn, else at the first step that is known to hold it.
function barsOf(cells: Cell[], columns: number): Bar[] {
  const bars: Bar[] = [];
  for (let column = 0; column < columns; ++column) {
    const own = cells.filter((cell) => cell.column === column);
    const open = new Map<string, Bar>();
    own.forEach((cell, i) => {
      const held = new Set(cell.step.locks);
      for (const [lock] of open) if (!held.has(lock)) open.delete(lock);
      for (const lock of held) {
        let bar = open.get(lock);
        if (!bar) {
          const before = own[i - 1];
          const first = before && takes(before.step, lock) ? before.row : cell.row;
          const lanes = new Set([...open.values()].map((other) => other.lane));
          let lane = 0;
          while (lanes.has(lane)) ++lane;
          bar = { lock, column, lane, first, last: cell.row };
          open.set(lock, bar);
          bars.push(bar);
        }
        bar.last = cell.row;
      }
      if (cell.step.what.includes('unlock') && cell.step.operand) open.delete(cell.step.operand);
    });
  }
  return bars;
}

// Where the thread that is waited for took the lock, when that is drawn.
function takenAt(from: Cell, to: Cell, cells: Cell[], bars: Bar[]): Cell {
  const bar = bars.find((one) => one.column === to.column && one.lock === from.step.operand && one.last === to.row);
  return cells.find((cell) => bar && cell.column === to.column && cell.row === bar.first) ?? to;
}

export function layoutOf(finding: Finding, recorded = false): Layout {
  const places = recorded ? recordedPlaces(finding) : witnessPlaces(finding);
  const threads = columnsOf(finding, places);
  const cells = placeCells(places, threads);
  const rows = cells.length === 0 ? 0 : cells[cells.length - 1].row + 1;
  const firstOfRow: number[] = new Array(rows + 1).fill(cells.length);
  for (let i = cells.length - 1; i >= 0; --i) firstOfRow[cells[i].row] = i;
  const bars = barsOf(cells, threads.length);
  const lanes = threads.map((_, column) =>
    bars.filter((bar) => bar.column === column).reduce((most, bar) => Math.max(most, bar.lane + 1), 0),
  );
  const byIndex = new Map(cells.map((cell) => [cell.index, cell]));
  const edges: Edge[] = [];
  // The order that the witness has need not be that of the recorded run.
  for (const order of recorded ? [] : (finding.order ?? [])) {
    const from = byIndex.get(order.from);
    const to = byIndex.get(order.to);
    if (from && to) edges.push({ from, to: order.why === 'waits' ? takenAt(from, to, cells, bars) : to, why: order.why });
  }
  return { threads, cells, rows, firstOfRow, bars, lanes, edges };
}

// The steps that moved: all but a longest run of steps that stand in the same order in both (patience sorting).
export function movedSteps(witness: Layout, recorded: Layout): Set<number> {
  const place = new Map(recorded.cells.map((cell, i) => [cell.index, i]));
  const values = witness.cells.map((cell) => place.get(cell.index) ?? -1);
  const tails: number[] = [];
  const before: number[] = [];
  values.forEach((value, i) => {
    let low = 0;
    let high = tails.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (values[tails[middle]] < value) low = middle + 1;
      else high = middle;
    }
    before[i] = low > 0 ? tails[low - 1] : -1;
    tails[low] = i;
  });
  const kept = new Set<number>();
  for (let i = tails.length > 0 ? tails[tails.length - 1] : -1; i >= 0; i = before[i]) kept.add(witness.cells[i].index);
  return new Set(witness.cells.map((cell) => cell.index).filter((index) => !kept.has(index)));
}
