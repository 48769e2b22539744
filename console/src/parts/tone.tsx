import './tone.css';
import type { ReactNode } from 'react';

export type ToneColor = 'red' | 'orange' | 'sea' | 'gray';

interface Props {
  readonly color: ToneColor;
  readonly children: ReactNode;
}

/** A small badge for cells of long lists. It is a plain element, because a list has hundreds of them. */
export function Tone({ color, children }: Props) {
  return <span className={`tone ${color}`}>{children}</span>;
}
