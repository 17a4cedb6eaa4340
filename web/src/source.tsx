// The source of one step with its line marked, what is known of the step, and its stack, folded.
import { useEffect, useRef } from 'preact/hooks';
import { basename, isView, placeOf, stepText, type Excerpt, type Finding, type Frame, type Step } from './model';
import { plural, visible } from './text';

function excerptOf(sources: Record<string, Excerpt[]>, file: string | undefined, line: number | undefined): Excerpt | null {
  if (!file || !line) return null;
  const inside = (sources[file] ?? []).find((part) => line >= part.first && line < part.first + part.lines.length);
  return inside ?? null;
}

function SourceText(props: { excerpt: Excerpt; line: number; column: number }) {
  const { excerpt, line, column } = props;
  const marked = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = marked.current;
    const box = element?.parentElement;
    if (element && box) box.scrollTop = element.offsetTop - box.clientHeight / 2;
  }, [excerpt, line]);
  return (
    <div class="source" role="region" aria-label="Source" tabIndex={0}>
      {excerpt.lines.map((text, i) => {
        const number = excerpt.first + i;
        const here = number === line;
        return (
          <div key={number} ref={here ? marked : undefined} class={here ? 'line here' : 'line'} aria-current={here ? 'true' : undefined}>
            <span class="line-number">{number}</span>
            <span class="line-text">{visible(text) || ' '}</span>
            {here && column > 1 && <span class="caret" style={{ left: `calc(4.5em + ${column - 1}ch)` }} aria-hidden="true" />}
          </div>
        );
      })}
    </div>
  );
}

function isLibrary(frame: Frame): boolean {
  const file = frame.file ?? '';
  if (file) return file.startsWith('/usr/') && !file.startsWith('/usr/local/') && !file.startsWith('/usr/src/');
  return /^\/(usr\/)?lib/.test(frame.module ?? '');
}

function frameText(frame: Frame): string {
  const place = frame.file ? `${basename(frame.file)}:${frame.line ?? '?'}` : frame.module ? basename(frame.module) : '';
  return `${frame.function ?? '?'}  ${place}${frame.inlined ? '  (inlined)' : ''}`;
}

export function StackList(props: { title: string; stack: Frame[] }) {
  if (props.stack.length === 0) return null;
  return (
    <details class="stack">
      <summary>
        {props.title} <span class="count">{plural(props.stack.length, 'frame')}</span>
      </summary>
      <ol>
        {props.stack.map((frame, i) => (
          <li key={i} class={isLibrary(frame) ? 'library' : ''} title={visible(frame.file ?? frame.module ?? '')}>
            {visible(frameText(frame))}
          </li>
        ))}
      </ol>
    </details>
  );
}

export function StepSource(props: { finding: Finding; step: Step; sources: Record<string, Excerpt[]> }) {
  const { finding, step } = props;
  const excerpt = excerptOf(props.sources, step.file, step.line);
  const view = isView(finding);
  const thread = finding.threads.find((known) => known.id === step.thread);
  return (
    <section class="step-source" aria-label="The chosen step">
      <div class="step-title">
        <strong>{visible(step.thread)}</strong> {thread?.name ? visible(thread.name) : ''} · <code>{visible(stepText(step))}</code>
      </div>
      <div class="step-place" title={visible(step.file ?? '')}>
        {visible(placeOf(step)) || (view ? '' : 'place not known')}
        {step.function ? ` in ${visible(step.function)}` : ''}
      </div>
      {view && !excerpt ? null : excerpt ? (
        <SourceText excerpt={excerpt} line={step.line ?? 0} column={step.column ?? 0} />
      ) : (
        <p class="no-source">{step.file ? `The source of ${visible(basename(step.file))} was not there when this page was written.` : 'There is no debug information for this step.'}</p>
      )}
      <dl class="facts">
        <dt>operation</dt>
        <dd>{visible(step.what)}</dd>
        {step.operand && (
          <>
            <dt>{view ? 'instruction' : 'on'}</dt>
            <dd><code>{visible(step.operand)}</code></dd>
          </>
        )}
        {!view && <dt>locks held</dt>}
        {!view && <dd>{step.locks.length > 0 ? step.locks.map((lock) => <code key={lock}>{visible(lock)} </code>) : 'none known'}</dd>}
        {step.recorded && (
          <>
            <dt>recorded run</dt>
            <dd>operation {step.recorded}</dd>
          </>
        )}
      </dl>
      {!view && <StackList title="Stack" stack={step.stack} />}
      <StackList title="The thread was created at" stack={thread?.creation_stack ?? []} />
    </section>
  );
}
