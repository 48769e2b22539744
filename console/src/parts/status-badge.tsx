import { Tone } from './tone.js';

/** Shows an HTTP status. */
export function StatusBadge({ status }: { readonly status: number }) {
  const color = status >= 500 ? 'red' : status >= 400 ? 'orange' : 'sea';
  return <Tone color={color}>{status}</Tone>;
}
