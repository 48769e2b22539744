import { csvLine } from '../save.js';
import { INKS } from './palette.js';
import type { Bucket, Series } from './series.js';

/** Returns the values of a chart as CSV. Times are in UTC, numbers are not rounded. */
export function csvOf(buckets: readonly Bucket[], series: readonly Series[]): Blob {
  const lines = buckets.map(({ start, end }, index) => [
    ...[start, end].map((at) => new Date(at * 1000).toISOString()),
    ...series.map(({ values }) => values[index] ?? ''),
  ]);
  const head = ['from', 'to', ...series.map(({ label }) => label)];
  return new Blob([head, ...lines].map(csvLine), { type: 'text/csv' });
}

const LINE_PX = 22;
const MARGIN_PX = 12;

/** Returns a picture of a chart with its name and the names of its series. */
export async function pictureOf(
  plot: HTMLCanvasElement,
  title: string,
  names: readonly { readonly label: string; readonly color: string }[],
  scheme: 'light' | 'dark',
): Promise<Blob> {
  const scale = devicePixelRatio;
  const [line, margin] = [LINE_PX * scale, MARGIN_PX * scale];
  const canvas = document.createElement('canvas');
  const context = canvas.getContext('2d');
  if (context === null) throw new Error('The browser could not create the picture.');
  canvas.width = plot.width + 2 * margin;
  canvas.height = plot.height + 2 * margin + line * (1 + names.length);
  const { text, background } = INKS[scheme];
  context.fillStyle = background;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.font = `600 ${13 * scale}px system-ui, sans-serif`;
  context.textBaseline = 'middle';
  context.fillStyle = text;
  context.fillText(title, margin, margin + line / 2);
  context.drawImage(plot, margin, margin + line);
  context.font = `${12 * scale}px system-ui, sans-serif`;
  names.forEach(({ label, color }, index) => {
    const middle = margin + line + plot.height + line * (index + 0.5);
    context.fillStyle = color;
    context.fillRect(margin, middle - 5 * scale, 10 * scale, 10 * scale);
    context.fillStyle = text;
    context.fillText(label, margin + 16 * scale, middle);
  });
  return new Promise((resolve, reject) =>
    canvas.toBlob((blob) => {
      if (blob === null) reject(new Error('The browser could not create the picture.'));
      else resolve(blob);
    }),
  );
}
