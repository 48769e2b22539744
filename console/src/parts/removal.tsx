import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Confirmation, Dialog } from './dialog.js';

interface Props {
  /** What is done, as the button and the question say it. */
  readonly verb: string;
  /** With what it is done, for whoever cannot see the row. */
  readonly name: string;
  readonly title: string;
  /** Of a whole section rather than a row. */
  readonly isLarge?: boolean;
  /** Also reads anew what it has changed. */
  readonly act: () => Promise<unknown>;
  /** What will be, in sentences. */
  readonly children: ReactNode;
}

/** A dangerous act on one thing, asked for in a dialog of its own. */
export function Removal({ verb, name, title, isLarge = false, act, children }: Props) {
  const [isAsking, setIsAsking] = useState(false);
  return (
    <>
      <Button
        size={isLarge ? 'sm' : 'xs'}
        variant={isLarge ? 'light' : 'subtle'}
        color="red"
        aria-label={`${verb} ${name}`}
        onClick={() => setIsAsking(true)}
      >
        {verb}
      </Button>
      <Dialog title={title} isOpen={isAsking} onClose={() => setIsAsking(false)}>
        <Confirmation verb={verb} isDangerous act={act} onClose={() => setIsAsking(false)}>
          {children}
        </Confirmation>
      </Dialog>
    </>
  );
}
