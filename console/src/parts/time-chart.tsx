import 'uplot/dist/uPlot.min.css';
import { useComputedColorScheme, useMantineTheme } from '@mantine/core';
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';

export interface Series {
  readonly label: string;
  /** Of the theme. */
  readonly color: 'teal' | 'red' | 'blue';
  readonly values: readonly (number | null)[];
}

interface Props {
  /** What is drawn, in words, for whoever cannot see it. */
  readonly label: string;
  /** Unix time in seconds, ascending. */
  readonly times: readonly number[];
  readonly series: readonly Series[];
}

/** Bars over time. The times stand in the zone of whoever looks. */
export function TimeChart({ label, times, series }: Props) {
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
    const paths = uPlot.paths.bars?.({ size: [0.75, 28], radius: 0.15 });
    const options: uPlot.Options = {
      width: element.clientWidth,
      height: element.clientHeight - 32,
      scales: { y: { range: (_, __, most) => [0, Math.max(1, most * 1.08)] } },
      axes: [axis, { ...axis, size: 48, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 1e5, 1e6] }],
      series: [
        {},
        ...series.map((each) => ({
          label: each.label,
          stroke: colors[each.color][shade],
          fill: `${colors[each.color][shade] ?? ''}${scheme === 'dark' ? 'aa' : 'cc'}`,
          points: { show: false },
          ...(paths !== undefined && { paths }),
        })),
      ],
      cursor: { y: false, drag: { setScale: false } },
      legend: { live: true },
    };
    const plot = new uPlot(options, [[...times], ...series.map(({ values }) => [...values])], element);
    const observer = new ResizeObserver(() =>
      plot.setSize({ width: element.clientWidth, height: element.clientHeight - 32 }),
    );
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [colors, scheme, series, times]);

  return <div ref={holder} className="chart" role="img" aria-label={label} />;
}
