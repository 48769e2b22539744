import 'uplot/dist/uPlot.min.css';
import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import type uPlot from 'uplot';
import { type Content, plotIn, type Structure } from './plot.js';
import type { Pointed } from './tooltip.js';

interface Props {
  readonly label: string;
  readonly isSmall: boolean;
  /** A `Structure` as JSON, so that an equal one keeps the plot. */
  readonly structure: string;
  readonly content: Omit<Content, 'onPoint'>;
  /** Receives the canvas of the plot. */
  readonly canvas: RefObject<HTMLCanvasElement | null>;
  /** Returns what stands beside the bucket below the pointer. */
  readonly children: (pointed: Pointed) => ReactNode;
}

/**
 * Draws a plot. Only a change of its structure makes a new one. The pointer is a state of this component alone, so that
 * the legend and the controls around it are not rendered with each move.
 */
export function PlotView({ label, isSmall, structure, content, canvas, children }: Props) {
  const holder = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(null);
  const [pointed, setPointed] = useState<Pointed | null>(null);
  const latest = useRef<Content>({ ...content, onPoint: setPointed });
  const { data, buckets, stretches, thresholds, marks, clock, onSelect, onOpen } = content;

  useEffect(() => {
    latest.current = { data, buckets, stretches, thresholds, marks, clock, onSelect, onOpen, onPoint: setPointed };
    plot.current?.setData(data);
    plot.current?.redraw(true, true);
  }, [data, buckets, stretches, thresholds, marks, clock, onSelect, onOpen]);

  // Comes after the effect above, so that a new plot has the present content.
  useEffect(() => {
    const element = holder.current;
    if (element === null) return;
    const made = plotIn(element, JSON.parse(structure) as Structure, latest);
    plot.current = made;
    canvas.current = made.ctx.canvas;
    const observer = new ResizeObserver(() =>
      made.setSize({ width: element.clientWidth, height: element.clientHeight }),
    );
    observer.observe(element);
    return () => {
      plot.current = null;
      canvas.current = null;
      observer.disconnect();
      made.destroy();
    };
  }, [structure, canvas]);

  return (
    <div
      ref={holder}
      className={isSmall ? 'chart small' : 'chart'}
      role="img"
      aria-label={label}
      data-opens={onOpen !== undefined}
    >
      {pointed !== null && children(pointed)}
    </div>
  );
}
