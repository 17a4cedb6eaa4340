// Output streams of a monitor over time: a row for each, one time for all. The slider walks through the times at which
// something happened, and the table says what each stream's value was then; the same for eyes, keys and screen readers.
import { useMemo, useState } from 'preact/hooks';
import type { Stream } from './model';
import { plural, visible } from './text';

const WIDTH = 1000;
const HEIGHT = 40;
const MOST_DOTS = 400; // in one row; more of them are one grey line

interface Scale {
  first: number;
  last: number;
}

function x(scale: Scale, time: number): number {
  return scale.last === scale.first ? WIDTH / 2 : 8 + ((WIDTH - 16) * (time - scale.first)) / (scale.last - scale.first);
}

function drawing(stream: Stream, scale: Scale) {
  const numbers = stream.points.map((point) => point[2]);
  const low = numbers.reduce((a, b) => Math.min(a, b), Infinity);
  const high = Math.max(low + 1, numbers.reduce((a, b) => Math.max(a, b), -Infinity));
  const y = (value: number) => (stream.style === 'graph' ? HEIGHT - 6 - ((HEIGHT - 12) * (value - low)) / (high - low) : HEIGHT / 2);
  const end = (i: number) => x(scale, stream.points[i + 1]?.[0] ?? scale.last);
  const line = stream.points.map((point, i) => `${x(scale, point[0]).toFixed(2)},${y(point[2]).toFixed(1)} ${end(i).toFixed(2)},${y(point[2]).toFixed(1)}`).join(' ');
  const dots = stream.points.length <= MOST_DOTS;
  return (
    <>
      {stream.style === 'bool' &&
        stream.points.map((point, i) => point[2] !== 0 && <rect key={i} x={x(scale, point[0])} y={8} width={Math.max(1, end(i) - x(scale, point[0]))} height={HEIGHT - 16} class="on" />)}
      {stream.style === 'graph' && <polyline points={line} />}
      {!dots && stream.style === 'events' && <line x1={x(scale, stream.points[0][0])} x2={x(scale, stream.points[stream.points.length - 1][0])} y1={HEIGHT / 2} y2={HEIGHT / 2} class="many" />}
      {dots && stream.points.map((point, i) => <circle key={i} cx={x(scale, point[0])} cy={y(point[2])} r={3}><title>{`${point[0]}: ${visible(point[1])}`}</title></circle>)}
    </>
  );
}

// The last value at or before the time; of events only one at that very time.
function valueAt(stream: Stream, time: number): string {
  let low = 0;
  let high = stream.points.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (stream.points[middle][0] <= time) low = middle + 1;
    else high = middle;
  }
  const point = stream.points[low - 1];
  if (!point || (stream.style === 'events' && point[0] !== time)) return '';
  return visible(point[1]);
}

export function Streams(props: { streams: Stream[] }) {
  const times = useMemo(() => [...new Set(props.streams.flatMap((stream) => stream.points.map((point) => point[0])))].sort((a, b) => a - b), [props.streams]);
  const [at, setAt] = useState(0);
  if (times.length === 0) return <p class="empty">No output stream has an event.</p>;
  const scale = { first: times[0], last: times[times.length - 1] };
  const time = times[Math.min(at, times.length - 1)];
  return (
    <section class="streams" aria-label="Streams over time">
      <div class="walk-bar">
        <button type="button" onClick={() => setAt(Math.max(0, at - 1))} disabled={at === 0} aria-label="Previous time">‹</button>
        <input type="range" min={0} max={times.length - 1} value={at} aria-label="Time" aria-valuetext={`time ${time}`} onInput={(event) => setAt(Number(event.currentTarget.value))} />
        <button type="button" onClick={() => setAt(Math.min(times.length - 1, at + 1))} disabled={at === times.length - 1} aria-label="Next time">›</button>
        <span class="walk-count">time {time} ({scale.first} to {scale.last})</span>
      </div>
      <table>
        <thead><tr><th scope="col">stream</th><th scope="col">value</th><th scope="col">over time</th></tr></thead>
        <tbody>
          {props.streams.map((stream) => (
            <tr key={stream.name} class={stream.finding ? 'stream finding' : 'stream'}>
              <th scope="row">{visible(stream.name)}<small>{plural(stream.points.length + stream.left_out, 'event')}{stream.left_out > 0 ? `, ${stream.left_out} not drawn` : ''}</small></th>
              <td class="stream-value">{valueAt(stream, time)}</td>
              <td class="stream-drawing">
                <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
                  {stream.points.length > 0 && drawing(stream, scale)}
                  <line class="now" x1={x(scale, time)} x2={x(scale, time)} y1={0} y2={HEIGHT} />
                </svg>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
