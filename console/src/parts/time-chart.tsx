import 'uplot/dist/uPlot.min.css';
import { useComputedColorScheme, useMantineTheme } from '@mantine/core';
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';

export interface Series {
  readonly label: string;
  /** Of the theme. */
  readonly color: 'sea' | 'red' | 'blue';
  readonly values: readonly (number | null)[];
}

interface Props {
  /** What is drawn, in words, for whoever cannot see it. */
  readonly label: string;
  /** Unix time in seconds, ascending. */
  readonly times: readonly number[];
  readonly series: readonly Series[];
  /** Beside something else that matters more. */
  readonly isSmall?: boolean;
}

const LEGEND_PX = 32;
const CLOCK = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const EXACT_CLOCK = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium', hourCycle: 'h23' });
const DAY = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
const FULL = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23' });

const STEPS_S = [1, 5, 10, 30, 60, 300, 900, 1_800, 3_600, 7_200, 14_400, 28_800, 86_400, 604_800, 2_592_000];

/** Of nothing no bar is drawn, not even its edge. */
function drawn(value: number | null): number | null {
  return value === 0 ? null : value;
}

/** As exact as the distance of two labels asks for; @param step seconds */
function timeLabel(time: number, step: number): string {
  return (step >= 86_400 ? DAY : step >= 60 ? CLOCK : EXACT_CLOCK).format(time * 1000);
}

/** Bars over time. The times stand in the zone of whoever looks. */
export function TimeChart({ label, times, series, isSmall = false }: Props) {
  const holder = useRef<HTMLDivElement>(null);
  const { colors } = useMantineTheme();
  const scheme = useComputedColorScheme('light');

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
    const paths = uPlot.paths.bars?.({ size: [0.75, 28], radius: 0.15 });
    const options: uPlot.Options = {
      width: element.clientWidth,
      height: element.clientHeight - LEGEND_PX,
      scales: {
        // A bar stands round its time: half of one more on both sides.
        x: { range: (_: uPlot, first: number, last: number) => [first - half, last + half] as [number, number] },
        y: { range: (_: uPlot, __: number, most: number) => [0, Math.max(1, most * 1.08)] as [number, number] },
      },
      axes: [
        {
          ...axis,
          size: 30,
          incrs: STEPS_S,
          space: 64,
          values: (_, splits, __, ___, step) => splits.map((each) => timeLabel(each, step)),
        },
        { ...axis, size: 48, space: 28, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 1e5, 1e6] },
      ],
      series: [
        { label: 'Time', value: (_, time: number | null) => (time === null ? '–' : FULL.format(time * 1000)) },
        ...series.map((each) => ({
          label: each.label,
          stroke: colors[each.color]?.[shade] ?? ink,
          fill: `${colors[each.color]?.[shade] ?? ''}${scheme === 'dark' ? 'aa' : 'cc'}`,
          points: { show: false },
          ...(paths !== undefined && { paths }),
        })),
      ],
      cursor: { y: false, drag: { setScale: false } },
      legend: { live: true },
    };
    const plot = new uPlot(options, [[...times], ...series.map(({ values }) => values.map(drawn))], element);
    const observer = new ResizeObserver(() =>
      plot.setSize({ width: element.clientWidth, height: element.clientHeight - LEGEND_PX }),
    );
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [colors, scheme, series, times]);

  return <div ref={holder} className={isSmall ? 'chart small' : 'chart'} role="img" aria-label={label} />;
}
