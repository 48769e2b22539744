import 'uplot/dist/uPlot.min.css';
import { type ReactNode, type RefObject, useEffect, useRef } from 'react';
import type uPlot from 'uplot';
import { type Content, plotIn, type Structure } from './plot.js';

interface Props {
  readonly label: string;
  readonly isSmall: boolean;
  /** A `Structure` as JSON, so that an equal one keeps the plot. */
  readonly structure: string;
  readonly content: Content;
  /** Receives the canvas of the plot. */
  readonly canvas: RefObject<HTMLCanvasElement | null>;
  /** Stands on top of the plot. */
  readonly children: ReactNode;
}

/** Draws a plot. Only a change of its structure makes a new one. */
export function PlotView({ label, isSmall, structure, content, canvas, children }: Props) {
  const holder = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot>(null);
  const latest = useRef(content);
  const { data, buckets, stretches, thresholds, marks, clock, onSelect, onOpen, onPoint } = content;

  useEffect(() => {
    latest.current = { data, buckets, stretches, thresholds, marks, clock, onSelect, onOpen, onPoint };
    plot.current?.setData(data);
    plot.current?.redraw(true, true);
  }, [data, buckets, stretches, thresholds, marks, clock, onSelect, onOpen, onPoint]);

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
      {children}
    </div>
  );
}
