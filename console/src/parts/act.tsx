import { Button, type ButtonProps, Tooltip } from '@mantine/core';
import type { ReactNode } from 'react';

interface Props extends ButtonProps {
  /**
   * Why the caller may not do it; undefined when they may. The button stays focusable, so that the reason can be read.
   */
  readonly refusal: string | undefined;
  readonly onAct: () => void;
  readonly children: ReactNode;
}

/** The reason is also shown to people without a mouse. */
const SHOWN_ON = { hover: true, focus: true, touch: true };

/** A button for an action that not every role may perform. */
export function Act({ refusal, onAct, children, ...button }: Props) {
  const isRefused = refusal !== undefined;
  return (
    <Tooltip label={refusal} disabled={!isRefused} events={SHOWN_ON}>
      <Button
        {...button}
        data-disabled={isRefused || undefined}
        aria-disabled={isRefused}
        onClick={() => {
          if (!isRefused) onAct();
        }}
      >
        {children}
      </Button>
    </Tooltip>
  );
}
