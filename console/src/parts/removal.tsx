import { type ReactNode, useState } from 'react';
import { Act } from './act.js';
import { Confirmation, Dialog } from './dialog.js';

interface Props {
  /** The label of the button and of the confirmation. */
  readonly verb: string;
  /** The name of the thing, for people who cannot see the row. */
  readonly name: string;
  readonly title: string;
  /** Whether the button belongs to a whole section instead of a row. */
  readonly isLarge?: boolean;
  /** Why the caller may not do it; undefined when they may. */
  readonly refusal?: string | undefined;
  /** Runs the action and refetches what it has changed. */
  readonly act: () => Promise<unknown>;
  /** Describes what will happen. */
  readonly children: ReactNode;
}

/** A button for a dangerous action on one thing. A dialog asks for confirmation. */
export function Removal({ verb, name, title, isLarge = false, refusal, act, children }: Props) {
  const [isAsking, setIsAsking] = useState(false);
  return (
    <>
      <Act
        refusal={refusal}
        size={isLarge ? 'sm' : 'xs'}
        variant={isLarge ? 'light' : 'subtle'}
        color="red"
        aria-label={`${verb} ${name}`}
        onAct={() => setIsAsking(true)}
      >
        {verb}
      </Act>
      <Dialog title={title} isOpen={isAsking} onClose={() => setIsAsking(false)}>
        <Confirmation verb={verb} isDangerous act={act} onClose={() => setIsAsking(false)}>
          {children}
        </Confirmation>
      </Dialog>
    </>
  );
}
