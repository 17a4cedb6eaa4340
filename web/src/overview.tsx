// The head of the page: what was run, what was found, and what that covers.
import { isActive, type PageData, type TestResult } from './model';
import { plural, seconds, visible } from './text';

const STATUSES = ['confirmed', 'proved', 'possible'];

function verdict(data: PageData): string {
  if (data.heading) return visible(data.heading);
  const active = data.report.findings.filter(isActive);
  if (active.length === 0) return data.report.coverage.undecided ? 'not decided' : 'no findings';
  const parts = STATUSES.map((status) => [status, active.filter((finding) => finding.status === status).length] as const)
    .filter(([, count]) => count > 0)
    .map(([status, count]) => `${count.toLocaleString('en')} ${status}`);
  return `${plural(active.length, 'finding')} (${parts.join(', ')})`;
}

function covered(data: PageData): string[] {
  const coverage = data.report.coverage;
  const counted: string[] = [];
  if (coverage.runs > 0) counted.push(plural(coverage.runs, 'run'));
  if (coverage.executions > 0) {
    const rate = coverage.seconds ? coverage.executions / coverage.seconds : 0;
    counted.push(`${plural(coverage.executions, 'execution')}${rate >= 1 ? ` (about ${Math.round(rate).toLocaleString('en')} a second)` : ''}`);
  }
  if (coverage.events > 0) counted.push(plural(coverage.events, 'event'));
  if (coverage.threads > 0) counted.push(plural(coverage.threads, 'thread'));
  counted.push(seconds(coverage.seconds));
  const lines = [counted.join(' · ')];
  if (coverage.complete && coverage.scope) lines.push(`Complete: ${coverage.scope}.`);
  else if (coverage.bound) lines.push(`Not complete: ${coverage.bound}.`);
  if (coverage.undecided) lines.push(`Not decided: ${coverage.undecided}.`);
  if (coverage.note) lines.push(coverage.note);
  return lines;
}

function Tests(props: { tests: TestResult[] }) {
  const order = ['findings', 'failed', 'undecided', 'clean'];
  const tests = [...props.tests].sort((a, b) => order.indexOf(a.result) - order.indexOf(b.result) || b.seconds - a.seconds);
  return (
    <details class="suite">
      <summary>{plural(tests.length, 'test')}</summary>
      <div class="suite-table">
        <table>
          <thead><tr><th scope="col">test</th><th scope="col">result</th><th scope="col">time</th><th scope="col">findings</th></tr></thead>
          <tbody>
            {tests.map((test) => (
              <tr key={test.name}>
                <td>{visible(test.name)}</td>
                <td title={visible(test.reason ?? '')}>{visible(test.result)}{test.reason ? `: ${visible(test.reason)}` : ''}</td>
                <td>{seconds(test.seconds)}</td>
                <td>{test.findings.map((id) => <a key={id} href={`#${id}`}>{id} </a>)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

export function Overview(props: { data: PageData }) {
  const { report } = props.data;
  const lines = covered(props.data);
  return (
    <div class="overview">
      <div class="verdict">{verdict(props.data)}</div>
      <div class="program"><code>{visible([report.program, ...report.arguments].join(' '))}</code></div>
      {lines.map((line) => <div key={line} class="covered">{visible(line)}</div>)}
      {report.tests && report.tests.length > 0 && <Tests tests={report.tests} />}
    </div>
  );
}
