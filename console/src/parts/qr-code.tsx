import { encode } from 'uqr';

/** Light modules around the code, which readers need. */
const MARGIN = 4;

interface Props {
  /** A description for screen readers. */
  readonly label: string;
  readonly text: string;
}

/** A text as a QR code, dark on light in both colour schemes. It is drawn in the page: no other host gets the text. */
export function QrCode({ label, text }: Props) {
  const { data, size } = encode(text, { border: 0 });
  const path = data.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
  const side = size + 2 * MARGIN;
  return (
    <svg role="img" aria-label={label} width={200} height={200} viewBox={`${-MARGIN} ${-MARGIN} ${side} ${side}`}>
      <rect x={-MARGIN} y={-MARGIN} width={side} height={side} fill="#fff" />
      <path d={path} fill="#000" shapeRendering="crispEdges" />
    </svg>
  );
}
