import uPlot from 'uplot';
import { type Clock, isMidnight, ticksOf } from '../zone.js';
import { INKS, type Inks } from './palette.js';
import type { Bucket, Mark, Stretch } from './series.js';
import type { Pointed } from './tooltip.js';
import { shortOf, stepsOf, type Unit } from './units.js';

export interface Threshold {
  readonly value: number;
  readonly label: string;
}

/** The properties of a plot that need a new plot when they change. */
export interface Structure {
  readonly series: readonly { readonly color: string; readonly isBar: boolean; readonly isDashed: boolean }[];
  readonly isLog: boolean;
  readonly unit: Unit;
  readonly scheme: 'light' | 'dark';
  readonly isSelectable: boolean;
}

/** The content of a plot, which changes without a new plot. */
export interface Content {
  readonly data: uPlot.AlignedData;
  readonly buckets: readonly Bucket[];
  readonly stretches: readonly Stretch[];
  readonly thresholds: readonly Threshold[];
  readonly marks: readonly Mark[];
  readonly clock: Clock;
  readonly onSelect: ((from: number, to: number) => void) | undefined;
  /** Called when somebody clicks on a bucket. Undefined: there is nothing to open. */
  readonly onOpen: ((index: number, value: number) => void) | undefined;
  /** Null: the pointer is elsewhere. */
  readonly onPoint: (pointed: Pointed | null) => void;
}

const FONT = '12px system-ui, sans-serif';
/** A shorter drag is a click. */
const MIN_DRAG_PX = 6;
const MIN_BAND_PX = 3;
/** The height of the line on top of a range, which shows it when bars cover its colour. */
const CAP_PX = 3;
const HATCH_PX = 8;
const FLAG_PX = 5;
const LABEL_GAP_PX = 10;
const TOP_PX = 10;
/** The space above the plot for the names of marks. */
const MARKED_TOP_PX = 22;

const DAY_S = 86_400;
const STEPS_S = [
  ...[1, 5, 10, 30, 60, 300, 900, 1_800, 3_600, 7_200, 14_400, 28_800],
  ...[1, 7, 30, 91, 182, 365, 730, 1_825, 3_650].map((days) => days * DAY_S),
];

/** Formats a time as exactly as the distance of two labels needs. @param step seconds between two labels */
function timeLabel(time: number, step: number, clock: Clock): string {
  const at = time * 1000;
  if (step >= 365 * DAY_S) return clock.year(at);
  if (step >= 28 * DAY_S) return clock.shortMonth(at);
  if (step >= DAY_S || isMidnight(at, clock.zone)) return clock.day(at);
  return (step >= 60 ? clock.time : clock.timeWithSeconds)(at);
}

/** Returns the ends of the value axis. */
function rangeOf(least: number, most: number, { isLog, unit }: Structure, thresholds: readonly Threshold[]) {
  const values = thresholds.map(({ value }) => value);
  if (isLog) {
    const shown = [least, most, ...values].filter((value) => value > 0);
    const [low, high] = shown.length === 0 ? [1, 10] : [Math.min(...shown), Math.max(...shown)];
    const bottom = 10 ** Math.floor(Math.log10(low));
    return [bottom, Math.max(bottom * 10, 10 ** Math.ceil(Math.log10(high)))] as [number, number];
  }
  const [low, high] = [Math.min(0, least, ...values) * 1.08, Math.max(0, most, ...values) * 1.08];
  // For counts the axis has at least one whole step.
  const top = unit === 'count' ? Math.max(1, high) : high;
  return [low, top > low ? top : low + 1] as [number, number];
}

/** Returns the labels of a logarithmic axis: powers of ten, or also 2 and 5 times as much when they are few. */
function powersOf(low: number, high: number): number[] {
  const [first, last] = [Math.round(Math.log10(low)), Math.round(Math.log10(high))];
  const factors = last - first > 2 ? [1] : [1, 2, 5];
  const all = Array.from({ length: last - first + 1 }, (_, index) => first + index).flatMap((power) =>
    factors.map((factor) => Number(`${factor}e${power}`)),
  );
  return all.filter((value) => value >= low && value <= high);
}

/** Paints a time range and its cap. */
function paintStretches(plot: uPlot, stretches: readonly Stretch[], { firing, pending, tint }: Inks): void {
  const { left, top, width, height } = plot.bbox;
  for (const { from, until, isPending = false } of stretches) {
    const color = isPending ? pending : firing;
    const begin = Math.max(left, plot.valToPos(from, 'x', true));
    const end = Math.min(left + width, plot.valToPos(until, 'x', true));
    if (end < left || begin > left + width) continue;
    const band = Math.max(MIN_BAND_PX, end - begin);
    if (until > from) {
      plot.ctx.fillStyle = `${color}${tint}`;
      plot.ctx.fillRect(begin, top, band, height);
    }
    plot.ctx.fillStyle = color;
    plot.ctx.fillRect(begin, top, band, CAP_PX * uPlot.pxRatio);
  }
}

/** Cuts stripes out of the values of buckets that are not complete. */
function hatch(plot: uPlot, buckets: readonly Bucket[]): void {
  const { ctx, bbox } = plot;
  const step = HATCH_PX * uPlot.pxRatio;
  for (const { start, end, gap } of buckets) {
    if (gap === undefined) continue;
    const [from, to] = [plot.valToPos(start, 'x', true), plot.valToPos(end, 'x', true)];
    ctx.save();
    ctx.beginPath();
    ctx.rect(from, bbox.top, to - from, bbox.height);
    ctx.clip();
    ctx.globalCompositeOperation = 'destination-out';
    ctx.lineWidth = step / 2.5;
    ctx.strokeStyle = '#000000cc';
    ctx.beginPath();
    for (let x = from - bbox.height; x < to; x += step) {
      ctx.moveTo(x, bbox.top + bbox.height);
      ctx.lineTo(x + bbox.height, bbox.top);
    }
    ctx.stroke();
    ctx.restore();
  }
}

function paintThresholds(plot: uPlot, thresholds: readonly Threshold[], color: string): void {
  const { ctx, bbox } = plot;
  for (const { value, label } of thresholds) {
    const y = plot.valToPos(value, 'y', true);
    ctx.save();
    ctx.strokeStyle = ctx.fillStyle = color;
    ctx.lineWidth = 1.5 * uPlot.pxRatio;
    ctx.setLineDash([6, 4].map((length) => length * uPlot.pxRatio));
    ctx.beginPath();
    ctx.moveTo(bbox.left, y);
    ctx.lineTo(bbox.left + bbox.width, y);
    ctx.stroke();
    ctx.font = scaled(FONT);
    ctx.textAlign = 'left';
    // The label of a line at the top stands below it.
    const isHigh = y - bbox.top < 18 * uPlot.pxRatio;
    ctx.textBaseline = isHigh ? 'top' : 'bottom';
    ctx.fillText(label, bbox.left + 4 * uPlot.pxRatio, y + (isHigh ? 4 : -3) * uPlot.pxRatio);
    ctx.restore();
  }
}

/** Paints a flag for each mark, and its name where there is room. */
function paintMarks(plot: uPlot, marks: readonly Mark[], color: string): void {
  const { ctx, bbox } = plot;
  const flag = FLAG_PX * uPlot.pxRatio;
  const positions = marks
    .map(({ at, name }) => ({ x: plot.valToPos(at, 'x', true), name }))
    .filter(({ x }) => x >= bbox.left && x <= bbox.left + bbox.width)
    .sort((one, other) => one.x - other.x);
  ctx.save();
  ctx.strokeStyle = ctx.fillStyle = color;
  ctx.lineWidth = uPlot.pxRatio;
  ctx.font = scaled(FONT);
  ctx.textAlign = 'left';
  ctx.textBaseline = 'bottom';
  positions.forEach(({ x, name }, index) => {
    ctx.setLineDash([3, 3].map((length) => length * uPlot.pxRatio));
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    ctx.beginPath();
    ctx.moveTo(x - flag, bbox.top - flag);
    ctx.lineTo(x + flag, bbox.top - flag);
    ctx.lineTo(x, bbox.top + flag / 2);
    ctx.fill();
    const room = (positions[index + 1]?.x ?? ctx.canvas.width) - x - LABEL_GAP_PX * uPlot.pxRatio;
    if (ctx.measureText(name).width < room) ctx.fillText(name, x + 1.5 * flag, bbox.top - 2 * uPlot.pxRatio);
  });
  ctx.restore();
}

/** Returns a font for the pixels of the canvas, which may be smaller than those of the page. */
function scaled(font: string): string {
  return font.replace(/^\d+/, (size) => String(Number(size) * uPlot.pxRatio));
}

/** Measures the labels of the value axis, so that none is cut. */
function widthOf(plot: uPlot, labels: readonly string[] | null): number {
  plot.ctx.save();
  plot.ctx.font = FONT;
  const widest = Math.max(16, ...(labels ?? []).map((label) => plot.ctx.measureText(label).width));
  plot.ctx.restore();
  return Math.ceil(widest) + LABEL_GAP_PX;
}

/** Returns the bucket below the pointer. */
function pointedAt(plot: uPlot, buckets: readonly Bucket[]): Pointed | null {
  const { idx } = plot.cursor;
  const bucket = typeof idx === 'number' ? buckets[idx] : undefined;
  // A plot whose crosshair only follows that of another shows no tooltip.
  if (bucket === undefined || !plot.over.matches(':hover')) return null;
  const offset = plot.over.offsetLeft;
  return {
    index: idx ?? 0,
    left: offset + plot.valToPos(bucket.start, 'x'),
    right: offset + plot.valToPos(bucket.end, 'x'),
    width: plot.width,
  };
}

const NOTHING_SELECTED = { left: 0, top: 0, width: 0, height: 0 };
/** Plots of a page share the crosshair, but a selection concerns one plot. */
const isOfCrosshair = (type: string): boolean => type === 'mousemove' || type === 'mouseleave';

/**
 * Draws a plot into an element.
 * @param latest its present content. After a change of it, the data must be set again
 */
export function plotIn(element: HTMLElement, structure: Structure, latest: { readonly current: Content }): uPlot {
  const { series, isLog, unit, scheme, isSelectable } = structure;
  const inks = INKS[scheme];
  const axis: uPlot.Axis = { stroke: inks.text, grid: { stroke: inks.grid }, ticks: { show: false }, font: FONT };
  const bars = uPlot.paths.bars?.({ size: [0.86, 100] });
  const content = (): Content => latest.current;
  let dragged = 0;
  const steps = stepsOf(unit);
  const options: uPlot.Options = {
    width: element.clientWidth,
    height: element.clientHeight,
    padding: [() => (content().marks.length > 0 ? MARKED_TOP_PX : TOP_PX), null, null, null],
    scales: {
      // A value stands in the middle of its bucket, so the axis is longer than the distance of the values.
      x: { range: () => [content().buckets[0]?.start ?? 0, content().buckets.at(-1)?.end ?? 1] as [number, number] },
      y: {
        distr: isLog ? 3 : 1,
        range: (_, least: number | null, most: number | null) =>
          rangeOf(least ?? 0, most ?? 0, structure, content().thresholds),
      },
    },
    axes: [
      {
        ...axis,
        size: 28,
        incrs: STEPS_S,
        space: 64,
        splits: (_, __, first, last, step) => ticksOf(first, last, step, content().clock.zone),
        values: (_, splits, __, ___, step) => splits.map((each) => timeLabel(each, step, content().clock)),
      },
      {
        ...axis,
        size: widthOf,
        space: 28,
        incrs: steps,
        values: (_, splits) => splits.map((value) => shortOf(unit, value)),
        ...(isLog && {
          splits: (_: uPlot, __: number, low: number, high: number) => powersOf(low, high),
          filter: (_: uPlot, splits: number[]) => splits,
        }),
      },
    ],
    series: [
      {},
      ...series.map(({ color, isBar, isDashed }) =>
        isBar && bars !== undefined
          ? { stroke: color, fill: color, width: 0, paths: bars, points: { show: false } }
          : {
              stroke: color,
              width: 2,
              // A single value has no line, so that a dashed series shows its point then.
              points: { size: 5, ...(isDashed && { show: ({ data }: uPlot) => data[0].length === 1 }) },
              ...(isDashed && { dash: [6, 5] }),
            },
      ),
    ],
    cursor: {
      y: false,
      points: { show: series.every(({ isBar }) => !isBar) },
      drag: {
        x: isSelectable,
        setScale: false,
        click: (_, event) => {
          if (dragged > MIN_DRAG_PX) event.stopImmediatePropagation();
        },
      },
      sync: {
        key: 'page',
        setSeries: false,
        scales: ['x', null],
        filters: { pub: isOfCrosshair, sub: isOfCrosshair },
      },
    },
    hooks: {
      drawAxes: [(plot) => paintStretches(plot, content().stretches, inks)],
      draw: [
        (plot) => {
          hatch(plot, content().buckets);
          paintThresholds(plot, content().thresholds, inks.firing);
          paintMarks(plot, content().marks, inks.mark);
        },
      ],
      setCursor: [(plot) => content().onPoint(pointedAt(plot, content().buckets))],
      setSelect: [
        (plot) => {
          const { left, width } = plot.select;
          dragged = width;
          if (width > MIN_DRAG_PX) content().onSelect?.(plot.posToVal(left, 'x'), plot.posToVal(left + width, 'x'));
          if (width > 0) plot.setSelect(NOTHING_SELECTED, false);
        },
      ],
    },
    legend: { show: false },
  };
  const plot = new uPlot(options, content().data, element);
  let tapped = -1;
  plot.over.addEventListener('click', (event) => {
    const index = plot.posToIdx(event.offsetX);
    // On a touch screen the first tap shows the values of a bucket, and the second one opens its events.
    if (event.pointerType === 'touch' && tapped !== index) tapped = index;
    else content().onOpen?.(index, plot.posToVal(event.offsetY, 'y'));
  });
  return plot;
}
