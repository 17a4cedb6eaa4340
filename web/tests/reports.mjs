// Reports for the tests of the page, as `heddle` writes them.

export function step(thread, what, operand, place, more = {}) {
  const [file, line] = place;
  const frame = { function: 'work', file, line, column: 3, function_line: Math.max(1, line - 5), module: '/srv/server', module_offset: 4096 + line };
  return { thread, what, operand, code: `${what}(${operand})`, function: 'work', file, line, column: 3, locks: [], stack: [frame], ...more };
}

export function finding(number, more = {}) {
  const file = `/srv/src/module_${number % 25}.cpp`;
  const line = 20 + (number % 400);
  return {
    id: `F${number}`,
    kind: 'data-race',
    status: 'confirmed',
    status_note: 'by replay',
    fingerprint: number.toString(16).padStart(16, '0'),
    message: `unordered read and write of \`cache${number}\``,
    count: 1,
    threads: [{ id: 'T1', name: 'worker' }, { id: 'T2', name: 'flusher' }],
    steps: [
      step('T1', 'write', 'cache', [file, line], { site: 1, row: 5, recorded: 1, code: 'cache = next;' }),
      step('T2', 'read', 'cache', [file, line + 9], { site: 2, row: 5, recorded: 6, locks: ['mutex'], code: 'use(cache)' }),
      step('T1', 'lock', 'mutex', [file, line + 1], { row: 1, recorded: 3 }),
      step('T1', 'unlock', 'mutex', [file, line + 2], { row: 2, recorded: 4, locks: ['mutex'] }),
      step('T2', 'begin', '', [file, line + 7], { row: 3, recorded: 2, code: 'begin' }),
      step('T2', 'lock', 'mutex', [file, line + 8], { row: 4, recorded: 6 }),
    ],
    order: [{ from: 3, to: 5, why: 'unlock before lock' }],
    why: 'the recorded run ordered the two by its locks',
    help: 'hold `mutex` around both',
    schedule: '.heddle/check-1/F1.schedule',
    replay: `heddle replay F${number}`,
    ...more,
  };
}

export function deadlock(number) {
  const at = (line) => ['/srv/src/bank.cpp', line];
  return finding(number, {
    kind: 'deadlock',
    message: '2 threads wait for ever',
    steps: [
      step('T1', 'lock', 'b', at(12), { site: 1, row: 3, locks: ['a'] }),
      step('T2', 'lock', 'a', at(22), { site: 2, row: 3, locks: ['b'] }),
      step('T1', 'lock', 'a', at(11), { row: 1 }),
      step('T2', 'lock', 'b', at(21), { row: 2 }),
    ],
    order: [{ from: 0, to: 1, why: 'waits' }, { from: 1, to: 0, why: 'waits' }],
  });
}

export function report(findings, more = {}) {
  return {
    schema: 'heddle/report/1',
    tool: { name: 'heddle', version: '0.1.0' },
    program: './server',
    arguments: ['--load'],
    exit: 0,
    coverage: { complete: false, bound: 'the time limit of 60 s', runs: 1, executions: 4200, blocked: 0, events: 99999, threads: 4, seconds: 60 },
    findings,
    ...more,
  };
}

const KINDS = ['data-race', 'lock-order', 'deadlock', 'misuse', 'atomicity'];
const STATUSES = ['confirmed', 'proved', 'possible'];

export function many(count) {
  const all = [];
  for (let i = 1; i <= count; ++i) {
    all.push(finding(i, { kind: KINDS[i % 5], status: STATUSES[i % 3], ...(i % 10 === 0 ? { suppressed: { rule: 'race:x', reason: 'known to be harmless' } } : {}) }));
  }
  return all;
}

// Four threads, one lock, so many steps.
export function long(number, count) {
  const steps = [];
  const order = [];
  let holder = 0;
  let released = -1;
  for (let row = 1; row <= count; ++row) {
    const thread = 1 + ((row * 7) % 4);
    const at = ['/srv/src/queue.cpp', 20 + (row % 400)];
    if (holder === thread) {
      steps.push(step(`T${thread}`, 'unlock', 'queue', at, { row, locks: ['queue'] }));
      holder = 0;
      released = row - 1;
    } else if (holder === 0) {
      steps.push(step(`T${thread}`, 'lock', 'queue', at, { row }));
      if (released >= 0) order.push({ from: released, to: row - 1, why: 'unlock before lock' });
      holder = thread;
    } else {
      steps.push(step(`T${thread}`, 'atomic-read', 'stop', at, { row }));
    }
  }
  steps[count - 1].site = 1;
  return finding(number, { kind: 'order', message: `a witness of ${count} steps`, steps, order, threads: [1, 2, 3, 4].map((id) => ({ id: `T${id}`, name: `worker ${id}` })) });
}
