import type { Series } from './series.js';

type Values = (number | null)[];

/** Returns the series in the order in which they are drawn: lines in front of bars, and a stack from its top. */
export function drawingOrder(series: readonly Series[], isStack: boolean): Series[] {
  const bars = series.filter(({ line }) => line === undefined);
  const lines = series.filter(({ line }) => line !== undefined);
  return [...(isStack ? bars.reverse() : bars), ...lines];
}

interface Choice {
  /** The only series that is shown. */
  readonly isolated: Series | undefined;
  readonly isStack: boolean;
  readonly isLog: boolean;
}

/**
 * Returns the index of the series at a point of the chart: the bar around the point, or the line next to it. A point
 * above all bars belongs to none. @param values the drawn values of one bucket, null where nothing is drawn
 */
export function indexAt(values: readonly (number | null)[], value: number, isBars: boolean): number | undefined {
  const known = values.flatMap((each, index) => (each === null ? [] : [{ each, index }]));
  const [found] = isBars
    ? known.filter(({ each }) => each > 0 && each >= value).sort((one, other) => one.each - other.each)
    : known.sort((one, other) => Math.abs(one.each - value) - Math.abs(other.each - value));
  return found?.index;
}

/** Returns the values as they are drawn. @param drawn the series in their drawing order */
export function drawnValues(drawn: readonly Series[], { isolated, isStack, isLog }: Choice): Values[] {
  const shown = drawn.map((each): Values =>
    isolated === undefined || isolated === each ? [...each.values] : each.values.map(() => null),
  );
  // A logarithmic scale has no place for 0.
  if (isLog) return shown.map((values) => values.map((value) => (value !== null && value > 0 ? value : null)));
  if (!isStack) return shown;
  const below: number[] = [];
  const stacked = drawn.map((each, index) => ({ each, values: shown[index] ?? [] })).reverse();
  return stacked
    .map(({ each, values }) =>
      each.line !== undefined
        ? values
        : values.map((value, at) => {
            below[at] = (below[at] ?? 0) + (value ?? 0);
            return value === null ? null : below[at];
          }),
    )
    .reverse();
}
