import 'uplot/dist/uPlot.min.css';
import { useComputedColorScheme, useMantineTheme } from '@mantine/core';
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import { type Clock, ticksOf, useClock } from './zone.js';

export type SeriesColor = 'sea' | 'red' | 'blue' | 'orange' | 'grape' | 'teal' | 'yellow' | 'gray';

export interface Series {
  readonly label: string;
  /** A colour of the theme. */
  readonly color: SeriesColor;
  readonly values: readonly (number | null)[];
  /** Draws the series as a line in a chart of bars. */
  readonly line?: 'solid' | 'dashed';
}

/** A time range in Unix seconds, drawn behind the series. A single moment is only a mark on top. */
export interface Stretch {
  readonly from: number;
  readonly until: number;
}

interface Props {
  /** A description of the chart for screen readers. */
  readonly label: string;
  /** Unix times in seconds, ascending. */
  readonly times: readonly number[];
  readonly series: readonly Series[];
  readonly stretches?: readonly Stretch[];
  /** Whether the chart is only an addition to something more important. */
  readonly isSmall?: boolean;
  /** Bars are for counts. Lines are for other values, which may have gaps. */
  readonly shape?: 'bars' | 'lines';
  /** Formats values of the axis and the legend. Must be the same function in every render. */
  readonly format?: (value: number) => string;
  /** Called with the range that somebody selected, in Unix seconds. Must be the same function in every render. */
  readonly onSelect?: (from: number, to: number) => void;
}

const LEGEND_PX = 32;
const LEAST_PX = 80;
/** A shorter drag is a click. */
const LEAST_DRAG_PX = 6;

const NO_STRETCHES: readonly Stretch[] = [];
const THINNEST_PX = 3;
/** The height of the line on top of a range, which shows it when bars cover its colour. */
const CAP_PX = 3;

const STEPS_S = [1, 5, 10, 30, 60, 300, 900, 1_800, 3_600, 7_200, 14_400, 28_800, 86_400, 604_800, 2_592_000];

/** Hides bars of 0, which would otherwise show their edge. */
function drawn(value: number | null): number | null {
  return value === 0 ? null : value;
}

/** Returns the top of the value axis. For counts the axis has at least one whole step. */
function topOf(most: number, isCount: boolean): number {
  const top = most * 1.08;
  return isCount ? Math.max(1, top) : top > 0 ? top : 1;
}

/** Formats a time as exactly as the distance of two labels needs. @param step seconds between two labels */
function timeLabel(time: number, step: number, clock: Clock): string {
  return (step >= 86_400 ? clock.day : step >= 60 ? clock.time : clock.timeWithSeconds)(time * 1000);
}

/** @param tint two hexadecimal digits: how opaque a range is below its cap */
function paint(plot: uPlot, stretches: readonly Stretch[], color: string, tint: string): void {
  const { left, top, width, height } = plot.bbox;
  for (const { from, until } of stretches) {
    const begin = Math.max(left, plot.valToPos(from, 'x', true));
    const end = Math.min(left + width, plot.valToPos(until, 'x', true));
    if (end < left || begin > left + width) continue;
    const band = Math.max(THINNEST_PX, end - begin);
    if (until > from) {
      plot.ctx.fillStyle = `${color}${tint}`;
      plot.ctx.fillRect(begin, top, band, height);
    }
    plot.ctx.fillStyle = color;
    plot.ctx.fillRect(begin, top, band, CAP_PX * devicePixelRatio);
  }
}

/** Shows bars or lines over time, in the time zone of the page. */
export function TimeChart({
  label,
  times,
  series,
  stretches = NO_STRETCHES,
  isSmall = false,
  shape = 'bars',
  format,
  onSelect,
}: Props) {
  const holder = useRef<HTMLDivElement>(null);
  const { colors } = useMantineTheme();
  const scheme = useComputedColorScheme('light');
  const clock = useClock();

  useEffect(() => {
    const element = holder.current;
    if (element === null) return;
    const shade = scheme === 'dark' ? 5 : 7;
    const ink = colors.gray[scheme === 'dark' ? 5 : 7];
    const axis: uPlot.Axis = {
      stroke: ink,
      grid: { stroke: scheme === 'dark' ? '#ffffff14' : '#0000000f' },
      ticks: { show: false },
      font: '12px system-ui, sans-serif',
    };
    const half = ((times[1] ?? 0) - (times[0] ?? 0)) / 2 || 30;
    const isBars = shape === 'bars';
    const paths = isBars ? uPlot.paths.bars?.({ size: [0.75, 28], radius: 0.15 }) : undefined;
    const told = (value: number | null): string => (value === null ? '–' : (format ?? String)(value));
    const options: uPlot.Options = {
      width: element.clientWidth,
      height: element.clientHeight - LEGEND_PX,
      scales: {
        // A bar is centered on its time, so the axis has half a bar more on both sides.
        x: { range: (_: uPlot, first: number, last: number) => [first - half, last + half] as [number, number] },
        y: {
          range: (_: uPlot, __: number, most: number) => [0, topOf(most, format === undefined)] as [number, number],
        },
      },
      axes: [
        {
          ...axis,
          size: 30,
          incrs: STEPS_S,
          space: 64,
          splits: (_, __, first, last, step) => ticksOf(first, last, step, clock.zone),
          values: (_, splits, __, ___, step) => splits.map((each) => timeLabel(each, step, clock)),
        },
        format === undefined
          ? { ...axis, size: 48, space: 28, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 1e5, 1e6] }
          : { ...axis, size: 64, space: 28, values: (_, splits) => splits.map(told) },
      ],
      series: [
        { label: 'Time', value: (_, time: number | null) => (time === null ? '–' : clock.full(time * 1000)) },
        ...series.map((each) => ({
          label: each.label,
          stroke: colors[each.color]?.[shade] ?? ink,
          ...(isBars && each.line === undefined
            ? {
                fill: `${colors[each.color]?.[shade] ?? ''}${scheme === 'dark' ? 'aa' : 'cc'}`,
                points: { show: false },
              }
            : {
                width: 2,
                points: { size: 5 },
                ...(each.line === 'dashed' && { dash: [6, 5] }),
              }),
          ...(paths !== undefined && each.line === undefined && { paths }),
          ...(format !== undefined && { value: (_: uPlot, value: number | null) => told(value) }),
        })),
      ],
      cursor: { y: false, drag: { x: onSelect !== undefined, setScale: false } },
      hooks: {
        drawAxes: [(chart) => paint(chart, stretches, colors.red[shade], scheme === 'dark' ? '33' : '24')],
        setSelect: [
          (chart) => {
            const { left, width } = chart.select;
            if (width > LEAST_DRAG_PX) onSelect?.(chart.posToVal(left, 'x'), chart.posToVal(left + width, 'x'));
          },
        ],
      },
      legend: { live: true },
    };
    const values = series.map((each) =>
      isBars && each.line === undefined ? each.values.map(drawn) : [...each.values],
    );
    const plot = new uPlot(options, [[...times], ...values], element);
    // The names of many series take several lines.
    const legend = element.querySelector<HTMLElement>('.u-legend');
    const observer = new ResizeObserver(() =>
      plot.setSize({
        width: element.clientWidth,
        height: Math.max(LEAST_PX, element.clientHeight - Math.max(LEGEND_PX, legend?.offsetHeight ?? 0)),
      }),
    );
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [colors, scheme, clock, series, stretches, times, shape, format, onSelect]);

  return <div ref={holder} className={isSmall ? 'chart small' : 'chart'} role="img" aria-label={label} />;
}
