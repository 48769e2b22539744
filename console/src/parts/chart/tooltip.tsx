import type { Clock } from '../zone.js';
import { Swatch } from './legend.js';
import { bucketName, type Bucket, type Mark, marksIn, type Series, totalAt } from './series.js';
import { exactOf, type Unit } from './units.js';

/** The bucket below the pointer. Positions are pixels from the left of the chart. */
export interface Pointed {
  readonly index: number;
  readonly left: number;
  readonly right: number;
  readonly width: number;
}

interface Props {
  readonly pointed: Pointed;
  readonly bucket: Bucket;
  readonly series: readonly Series[];
  readonly unit: Unit;
  readonly marks: readonly Mark[];
  readonly clock: Clock;
  readonly colorOf: (series: Series) => string;
  readonly hasTotal: boolean;
}

const GAP_PX = 10;
const MIN_TOOLTIP_PX = 150;

/** Shows the values of one bucket beside it, the largest first. */
export function Tooltip({ pointed, bucket, series, unit, marks, clock, colorOf, hasTotal }: Props) {
  const { index, left, right, width } = pointed;
  const values = series.map((each, place) => ({ each, place, value: each.values[index] ?? null }));
  const inBucket = marksIn(marks, bucket);
  const isRight = width - right > left;
  const side = isRight
    ? {
        left: Math.min(right + GAP_PX, width - MIN_TOOLTIP_PX),
        maxWidth: Math.max(MIN_TOOLTIP_PX, width - right - GAP_PX),
      }
    : {
        right: Math.min(width - left + GAP_PX, width - MIN_TOOLTIP_PX),
        maxWidth: Math.max(MIN_TOOLTIP_PX, left - GAP_PX),
      };
  return (
    <div className="chart-tooltip" style={side}>
      <strong>{bucketName(bucket, clock)}</strong>
      {bucket.gap !== undefined && <em>{bucket.gap}</em>}
      <table className="numbers">
        <tbody>
          {values
            .sort((one, other) => (other.value ?? -Infinity) - (one.value ?? -Infinity))
            .map(({ each, place, value }) => (
              <tr key={place}>
                <th scope="row">
                  <Swatch color={colorOf(each)} line={each.line} />
                  {each.label}
                </th>
                <td>{exactOf(unit, value)}</td>
              </tr>
            ))}
          {hasTotal && (
            <tr className="chart-total">
              <th scope="row">Total</th>
              <td>{exactOf(unit, totalAt(series, index))}</td>
            </tr>
          )}
        </tbody>
      </table>
      {inBucket.map(({ id, at, name }) => (
        <div key={id} className="chart-mark">
          {clock.time(at * 1000)} {name}
        </div>
      ))}
    </div>
  );
}
