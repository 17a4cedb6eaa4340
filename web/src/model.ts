// What `heddle` puts into the page: a report (docs/findings-schema.md) and excerpts of the source files that it names.

export interface Frame {
  function?: string;
  file?: string;
  line?: number;
  column?: number;
  inlined?: boolean;
  module?: string;
  module_offset?: number;
}

export interface Thread {
  id: string;
  name: string;
  parent?: string;
  creation_stack?: Frame[];
}

export interface Step {
  thread: string;
  what: string;
  operand?: string;
  code?: string;
  site?: number;
  row?: number;
  recorded?: number;
  function?: string;
  file?: string;
  line?: number;
  column?: number;
  locks: string[];
  stack: Frame[];
}

// An arrow: `to` comes after `from` because of `why`; or, with why "waits", `from` waits for what the thread of `to` did.
export interface Order {
  from: number;
  to: number;
  why: string;
}

export interface Finding {
  id: string;
  kind: string;
  status: string; // possible, proved, confirmed; of a view: allowed, forbidden, failed
  status_note?: string;
  fingerprint: string;
  message: string;
  count: number;
  threads: Thread[];
  steps: Step[];
  order?: Order[];
  memory?: { where: string; name?: string; offset: number; size?: number; thread?: string; allocation_stack?: Frame[] };
  output?: string[];
  why?: string;
  help?: string;
  schedule: string | null;
  replay?: string;
  suppressed?: { rule: string; reason: string };
  known?: boolean;
  tests?: string[];
}

export interface Coverage {
  complete: boolean;
  scope?: string;
  bound: string;
  undecided?: string;
  note?: string;
  runs: number;
  executions: number;
  blocked: number;
  succeeded?: number;
  failed?: number;
  events: number;
  threads: number;
  seconds: number | null;
}

export interface TestResult {
  name: string;
  result: string;
  seconds: number;
  findings: string[];
  reason?: string;
}

export interface Report {
  tool: { version: string };
  program: string;
  arguments: string[];
  exit: number | null;
  coverage: Coverage;
  findings: Finding[];
  tests?: TestResult[];
}

// Lines of a file from `first` on.
export interface Excerpt {
  first: number;
  lines: string[];
}

// An output stream of a monitor. A point is [time, value as text, value as a number].
export interface Stream {
  name: string;
  style: 'events' | 'bool' | 'graph';
  finding: boolean;
  left_out: number;
  points: [number, string, number][];
}

export interface PageData {
  report: Report;
  sources: Record<string, Excerpt[]>;
  baseline: boolean;
  heading?: string; // instead of the count of findings
  views?: Finding[]; // counterexamples and executions: no findings, but drawn as such
  streams?: Stream[];
}

// What is drawn with the parts of a finding and is none.
export const VIEW_KINDS = ['counterexample', 'execution'];

export function isView(finding: Finding): boolean {
  return VIEW_KINDS.includes(finding.kind);
}

interface RawPage extends Omit<PageData, 'views'> {
  views?: { findings: Finding[]; labels: { kind: string; status: string }[] };
}

export function loadData(): PageData {
  const element = document.getElementById('heddle-data');
  const raw = JSON.parse(element?.textContent ?? '') as RawPage;
  const labels = raw.views?.labels ?? [];
  const views = raw.views?.findings.map((view, i) => ({ ...view, ...labels[i], id: `V${i + 1}` }) as Finding);
  return { ...raw, views };
}

export function basename(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

export function placeOf(step: Step): string {
  if (step.file && step.line) return `${basename(step.file)}:${step.line}`;
  const frame = step.stack[0];
  if (frame?.module && frame.module_offset) return `${basename(frame.module)}+0x${frame.module_offset.toString(16)}`;
  return '';
}

export function stepText(step: Step): string {
  if (step.code) return step.code;
  return step.operand ? `${step.what}(${step.operand})` : step.what;
}

export function sitesOf(finding: Finding): Step[] {
  return finding.steps.filter((step) => step.site).sort((a, b) => (a.site ?? 0) - (b.site ?? 0));
}

// The file that a finding is grouped under: that of its first site.
export function fileOf(finding: Finding): string {
  const first = sitesOf(finding).find((step) => step.file) ?? finding.steps.find((step) => step.file);
  return first?.file ?? '';
}

export function isActive(finding: Finding): boolean {
  return !finding.suppressed && !finding.known;
}
