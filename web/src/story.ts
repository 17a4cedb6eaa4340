// A finding in words: who does what where, what that means, why an ordinary run hides it, what to change.
import { isView, placeOf, sitesOf, stepText, type Finding, type Step, type Thread } from './model';

export interface Story {
  what: string[]; // sentences
  means: string;
  why: string;
  change: string;
}

const MEANING: Record<string, string> = {
  'data-race':
    'Nothing orders the two accesses, so either may come first, or both at once. C and C++ give such a program no meaning: compilers may break it.',
  'lock-order': 'Two threads that take these locks at the same time, each in its own order, stop for ever.',
  deadlock: 'Each of these threads waits for something that only another of them can give. None goes on.',
  misuse: 'A primitive is used against its rules. What happens then is not defined.',
  atomicity: 'A part that is meant to happen at once can be interrupted by another thread, which sees or leaves half of it.',
  order: 'One operation needs another to come first, and nothing makes it come first.',
  'lost-signal': 'A wake-up that comes before the wait is lost. The waiting thread then waits for ever.',
  livelock: 'Threads run but make no progress.',
  assertion: 'The program itself says that this must not happen.',
  crash: 'The program dies of a fatal signal in this order of its threads.',
  failure: 'The program itself reports a failure.',
  property: 'The property that was asked for does not hold in this order.',
  desync: 'The replay left its schedule: the program depends on something that was not recorded.',
  refinement: 'The compiled code does something that its source does not allow.',
};

function threadName(finding: Finding, id: string): string {
  const thread: Thread | undefined = finding.threads.find((known) => known.id === id);
  return thread?.name ? `${id} \`${thread.name}\`` : id;
}

function lockText(step: Step): string {
  if (step.locks.length === 0) return 'with no lock held';
  return `holding ${step.locks.map((lock) => `\`${lock}\``).join(' and ')}`;
}

const VERBS: Record<string, string> = {
  read: 'reads',
  write: 'writes',
  'atomic-read': 'atomically reads',
  'atomic-write': 'atomically writes',
  free: 'frees',
  lock: 'locks',
  unlock: 'unlocks',
  wait: 'waits on',
  join: 'joins',
};

function doing(step: Step): string {
  const verb = VERBS[step.what];
  if (verb && step.operand) return `${verb} \`${step.operand}\``;
  if (verb && (step.what === 'read' || step.what === 'write' || step.what === 'free')) return `${verb} it`;
  return `does \`${stepText(step)}\``;
}

function siteSentence(finding: Finding, step: Step): string {
  const place = placeOf(step);
  const at = place ? ` at ${place}` : '';
  const stuck = finding.kind === 'deadlock' || finding.kind === 'lost-signal';
  const action = stuck && step.what === 'lock' ? `waits for \`${step.operand ?? '?'}\`` : doing(step);
  return `Thread ${threadName(finding, step.thread)} ${action}${at}, ${lockText(step)}.`;
}

function sentence(text: string): string {
  if (!text) return '';
  const first = text[0].toUpperCase() + text.slice(1);
  return /[.!?]$/.test(first) ? first : `${first}.`;
}

export function storyOf(finding: Finding): Story {
  if (isView(finding)) return { what: [], means: sentence(finding.why ?? ''), why: '', change: '' };
  const sites = sitesOf(finding).slice(0, 8);
  return {
    what: sites.map((step) => siteSentence(finding, step)),
    means: MEANING[finding.kind] ?? '',
    why: sentence(finding.why ?? ''),
    change: sentence(finding.help ?? ''),
  };
}

export function statusWords(finding: Finding): string {
  const note = finding.status_note ?? '';
  if (!note) return finding.status;
  return note.startsWith('by ') ? `${finding.status} ${note}` : `${finding.status}: ${note}`;
}
