import './chart/chart.css';
import { Alert, Title, useComputedColorScheme } from '@mantine/core';
import { useCallback, useContext, useEffect, useMemo, useRef, useState } from 'react';
import type uPlot from 'uplot';
import { CurrentChartProject } from './chart/chart-project.js';
import { ChartTable } from './chart/chart-table.js';
import { drawingOrder, drawnValues, indexAt } from './chart/drawing.js';
import { csvOf, pictureOf } from './chart/files.js';
import { Legend, Names } from './chart/legend.js';
import { ChartOptions } from './chart/options.js';
import { PALETTE } from './chart/palette.js';
import type { Structure, Threshold } from './chart/plot.js';
import { PlotView } from './chart/plot-view.js';
import { bucketsOf, type Series, type Stretch, totalAt } from './chart/series.js';
import { Tooltip } from './chart/tooltip.js';
import type { Unit } from './chart/units.js';
import { type Span, useMarks } from './chart/use-marks.js';
import { between, type EventsSearch, isShowable, useOpenEvents } from './events-link.js';
import { fileName, save } from './save.js';
import { clockOf, useClock } from './zone.js';

export type { SeriesColor } from './chart/palette.js';
export { axisOf, extentOf, type Series, type Stretch } from './chart/series.js';
export type { Unit } from './chart/units.js';
export type { Span } from './chart/use-marks.js';

interface Props {
  /** A description of the chart for screen readers. */
  readonly label: string;
  /** The name of the chart and of its files. */
  readonly title?: string;
  /** The level of the heading with the title. Null: the heading of what is around names the chart. */
  readonly heading?: 2 | 3 | null;
  /** The starts of the buckets as Unix times in seconds, ascending. */
  readonly times: readonly number[];
  /** The usual length of a bucket in seconds. Undefined: the distance of the first two times. */
  readonly interval?: number | undefined;
  /** The times that are counted, in Unix seconds: a bucket that reaches beyond them is not complete. */
  readonly from?: number;
  readonly until?: number;
  /** When the values were read, in Unix seconds. */
  readonly readAt?: number;
  /** The IANA name of the zone whose days the buckets are. Undefined: that of the page. */
  readonly zone?: string;
  readonly series: readonly Series[];
  readonly unit?: Unit;
  /** Bars are for counts. Lines are for other values, which may have gaps. */
  readonly shape?: 'bars' | 'lines';
  /** Whether the bars are parts of a total and stand on each other. */
  readonly isStacked?: boolean;
  /** The filters of all events of a stack. */
  readonly totalEvents?: EventsSearch;
  readonly stretches?: readonly Stretch[];
  readonly thresholds?: readonly Threshold[];
  /** The time whose marked events are read, in Unix seconds. Undefined: that of the buckets. */
  readonly marked?: Span | undefined;
  /** Whether the chart is only an addition to something more important. */
  readonly isSmall?: boolean;
  /** Called with the range that somebody selected, in Unix seconds. */
  readonly onSelect?: (from: number, to: number) => void;
}

const NO_STRETCHES: readonly Stretch[] = [];
const NO_THRESHOLDS: readonly Threshold[] = [];

/** Shows bars or lines over time, with their numbers and in other forms. */
export function TimeChart({
  label,
  title,
  heading = 2,
  times,
  interval,
  from,
  until,
  readAt,
  zone,
  series,
  unit = 'count',
  shape = 'bars',
  isStacked = false,
  totalEvents,
  stretches = NO_STRETCHES,
  thresholds = NO_THRESHOLDS,
  marked,
  isSmall = false,
  onSelect,
}: Props) {
  const scheme = useComputedColorScheme('light');
  const pageClock = useClock();
  const clock = zone === undefined ? pageClock : clockOf(zone);
  const project = useContext(CurrentChartProject);
  const [isTable, setIsTable] = useState(false);
  const [isLog, setIsLog] = useState(false);
  const [chosen, setChosen] = useState<Chosen>();
  const [problem, setProblem] = useState<string>();
  const canvas = useRef<HTMLCanvasElement>(null);

  const buckets = useMemo(
    () => bucketsOf(times, interval, clock.zone, { from, until, readAt }),
    [times, interval, clock.zone, from, until, readAt],
  );
  const marks = useMarks(buckets, from, until, marked);
  const isolated = chosen === undefined ? undefined : chosenOf(series, chosen);
  const shown = isolated === undefined ? series : [isolated];
  const isBars = shape === 'bars' && !isLog;
  const hasTotal = isStacked && isolated === undefined && series.length > 1;
  const colorOf = ({ color }: Series): string => PALETTE[scheme][color];

  const isStack = isStacked && isBars;
  const drawn = useMemo(() => drawingOrder(series, isStack), [series, isStack]);
  const data = useMemo(
    (): uPlot.AlignedData => [
      buckets.map(({ start, end }) => (start + end) / 2),
      ...drawnValues(drawn, { isolated, isStack, isLog }),
    ],
    [buckets, drawn, isolated, isStack, isLog],
  );
  const structure = JSON.stringify({
    series: drawn.map((each) => ({
      color: PALETTE[scheme][each.color],
      isBar: isBars && each.line === undefined,
      isDashed: each.line === 'dashed',
    })),
    isLog,
    unit,
    scheme,
    isSelectable: onSelect !== undefined,
  } satisfies Structure);
  const openEvents = useOpenEvents();
  /** Returns the events behind a value. Without a series, these are all events of the stack. */
  const eventsAt = (index: number, each: Series | undefined): EventsSearch | undefined => {
    const place = buckets[index];
    const value = each === undefined ? totalAt(series, index) : each.values[index];
    const search = each === undefined ? totalEvents : each.eventsOf?.(value ?? 0, index);
    if (!isShowable(search) || place === undefined || value === undefined || value === null) return undefined;
    if (value === 0 && (unit === 'count' || unit === 'share')) return undefined;
    if (search.from !== undefined) return search;
    return { ...search, ...between(Math.max(place.start, from ?? 0), Math.min(place.end, until ?? Infinity)) };
  };
  const canOpen = series.some(({ eventsOf }) => eventsOf !== undefined);
  const open = (index: number, value: number): void => {
    const isOfEvents = ({ eventsOf, line }: Series): boolean =>
      eventsOf !== undefined && !(isBars && line !== undefined);
    const values = drawn.map((each, row) => {
      // A part of 0 has no height: the bar at its place is that of another part.
      const isDrawn = isOfEvents(each) && !(isBars && each.values[index] === 0);
      return isDrawn ? (data[row + 1]?.[index] ?? null) : null;
    });
    const at = indexAt(values, value, isBars);
    const each = at === undefined ? largest(drawn, values) : drawn[at];
    // A click above the bars means all of the bucket.
    const isOfAll = at === undefined && isStack && totalEvents !== undefined && isolated === undefined;
    const search = isOfAll || each !== undefined ? eventsAt(index, isOfAll ? undefined : each) : undefined;
    if (search !== undefined) openEvents(search);
  };
  // The plot keeps one function, since it is drawn again when its content changes.
  const latestOpen = useRef(open);
  useEffect(() => {
    latestOpen.current = open;
  });
  const onOpen = useCallback((index: number, value: number) => latestOpen.current(index, value), []);
  const isolate = (each: Series | undefined): void =>
    setChosen(each === undefined ? undefined : { index: series.indexOf(each), label: each.label });
  const legend = { series, colorOf, isolated, onIsolate: isolate };
  const name = title ?? label;
  const hasHeading = title !== undefined && heading !== null;
  const nameOf = (ending: string): string => fileName(project?.slug ?? 'chart', wordOf(name), ending);
  const savePicture = async (): Promise<void> => {
    if (canvas.current === null) return;
    const names = shown.map((each) => ({ label: each.label, color: colorOf(each) }));
    setProblem(undefined);
    try {
      save(await pictureOf(canvas.current, name, names, scheme), nameOf('png'));
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };

  return (
    <div className="chart-part">
      {(hasHeading || !isSmall) && (
        <div className="chart-head">
          {hasHeading && (
            <Title order={heading} size="h5">
              {title}
            </Title>
          )}
          {!isSmall && (
            <ChartOptions
              title={name}
              isTable={isTable}
              isLog={isLog}
              onTable={setIsTable}
              onLog={setIsLog}
              onCsv={() => save(csvOf(buckets, shown), nameOf('csv'))}
              onPng={() => void savePicture()}
            />
          )}
        </div>
      )}
      {problem !== undefined && (
        <Alert color="red" variant="light" p="xs">
          {problem}
        </Alert>
      )}
      {isTable ? (
        <ChartTable
          label={label}
          buckets={buckets}
          series={shown}
          unit={unit}
          marks={marks}
          clock={clock}
          hasTotal={hasTotal}
          eventsAt={eventsAt}
        />
      ) : (
        <PlotView
          label={label}
          isSmall={isSmall}
          structure={structure}
          content={{
            data,
            buckets,
            stretches,
            thresholds,
            marks,
            clock,
            onSelect,
            onOpen: canOpen ? onOpen : undefined,
          }}
          canvas={canvas}
        >
          {(pointed) => {
            const bucket = buckets[pointed.index];
            return (
              bucket !== undefined && (
                <Tooltip
                  pointed={pointed}
                  bucket={bucket}
                  series={shown}
                  unit={unit}
                  marks={marks}
                  clock={clock}
                  colorOf={colorOf}
                  hasTotal={hasTotal}
                />
              )
            );
          }}
        </PlotView>
      )}
      {isSmall ? series.length > 1 && <Names {...legend} /> : <Legend {...legend} unit={unit} />}
    </div>
  );
}

/** The series that is shown alone. Two series may have the same label. */
interface Chosen {
  readonly index: number;
  readonly label: string;
}

/** Returns the chosen series, which may be elsewhere or be missing in later data. */
function chosenOf(series: readonly Series[], { index, label }: Chosen): Series | undefined {
  const before = series[index];
  return before?.label === label ? before : series.find((each) => each.label === label);
}

/** Returns the series with the largest value. */
function largest(drawn: readonly Series[], values: readonly (number | null)[]): Series | undefined {
  return drawn[values.indexOf(Math.max(...values.map((value) => value ?? -Infinity)))];
}

/** Returns a part of a file name. */
function wordOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .slice(0, 60);
}
