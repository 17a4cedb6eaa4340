// Which findings the list shows, in which groups.
import { basename, fileOf, isActive, placeOf, sitesOf, type Finding } from './model';

export type Grouping = 'file' | 'kind' | 'none';

export interface Filters {
  kinds: Set<string>; // empty: all
  statuses: Set<string>;
  file: string;
  text: string;
  hidden: boolean; // also those that a suppression or the baseline hides
  grouping: Grouping;
}

export const NO_FILTERS: Filters = {
  kinds: new Set(),
  statuses: new Set(),
  file: '',
  text: '',
  hidden: false,
  grouping: 'file',
};

// What the text filter looks at, made once for each finding.
const searched = new WeakMap<Finding, string>();

function searchText(finding: Finding): string {
  let text = searched.get(finding);
  if (text === undefined) {
    const sites = sitesOf(finding).flatMap((step) => [step.file ?? '', placeOf(step), step.function ?? '', step.operand ?? '']);
    text = [finding.id, finding.kind, finding.message, finding.fingerprint, ...(finding.tests ?? []), ...sites]
      .join('\n')
      .toLowerCase();
    searched.set(finding, text);
  }
  return text;
}

function passes(finding: Finding, filters: Filters, ignore: 'kinds' | 'statuses' | 'file' | ''): boolean {
  if (!filters.hidden && !isActive(finding)) return false;
  if (ignore !== 'kinds' && filters.kinds.size > 0 && !filters.kinds.has(finding.kind)) return false;
  if (ignore !== 'statuses' && filters.statuses.size > 0 && !filters.statuses.has(finding.status)) return false;
  if (ignore !== 'file' && filters.file && fileOf(finding) !== filters.file) return false;
  const words = filters.text.toLowerCase().split(/\s+/).filter(Boolean);
  return words.length === 0 || words.every((word) => searchText(finding).includes(word));
}

export function filtered(findings: Finding[], filters: Filters): Finding[] {
  return findings.filter((finding) => passes(finding, filters, ''));
}

// How many findings each choice of one filter would leave, with the other filters as they are.
export function counts(findings: Finding[], filters: Filters, what: 'kinds' | 'statuses' | 'file'): Map<string, number> {
  const key = (finding: Finding) =>
    what === 'kinds' ? finding.kind : what === 'statuses' ? finding.status : fileOf(finding);
  const found = new Map<string, number>();
  for (const finding of findings) {
    if (passes(finding, filters, what)) found.set(key(finding), (found.get(key(finding)) ?? 0) + 1);
  }
  return found;
}

export interface Group {
  name: string;
  title: string; // in full
  findings: Finding[];
}

export function grouped(findings: Finding[], grouping: Grouping): Group[] {
  if (grouping === 'none') return [{ name: '', title: '', findings }];
  const groups = new Map<string, Finding[]>();
  for (const finding of findings) {
    const key = grouping === 'kind' ? finding.kind : fileOf(finding);
    const list = groups.get(key);
    if (list) list.push(finding);
    else groups.set(key, [finding]);
  }
  return [...groups]
    .map(([key, list]) => ({ name: grouping === 'kind' ? key : basename(key) || 'place not known', title: key, findings: list }))
    .sort((a, b) => b.findings.length - a.findings.length || a.name.localeCompare(b.name));
}
