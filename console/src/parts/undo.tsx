import { Button, CloseButton, Group, Kbd, Paper, Text } from '@mantine/core';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { sentenceOf } from './failures.js';
import { useDialogKeys } from './use-keys.js';
import { useCurrentProject } from '../shell/current-project.js';

/** How long the inverse of an act is offered. */
const SHOWN_MS = 8_000;

/** An act that was sent, and its inverse. */
interface Undoable {
  readonly projectId: string;
  /** Names the act and its thing, such as "Resolved “Payments fail”". */
  readonly said: string;
  /** Begins the sentence about a failure of the inverse. */
  readonly failed: string;
  readonly undo: () => Promise<unknown>;
  /** Reads again what the inverse changes, also after a failure. */
  readonly readAgain: () => Promise<unknown>;
}

interface Toast {
  readonly projectId: string;
  readonly said: string;
  /** Undefined: the toast tells a failure and stays until it is closed. */
  readonly undo: (() => void) | undefined;
}

let toast: Toast | null = null;
let count = 0;
const listeners = new Set<() => void>();

function onChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function show(next: Toast | null): void {
  toast = next;
  count += 1;
  for (const listener of listeners) listener();
}

const close = () => show(null);

/** Offers to undo an act that was sent. Takes the place of an earlier offer. */
export function offerUndo({ projectId, said, failed, undo, readAgain }: Undoable): void {
  const send = () => {
    close();
    undo()
      .catch((error: unknown) => show({ projectId, said: `${failed}: ${sentenceOf(error)}`, undo: undefined }))
      .finally(() => void readAgain());
  };
  show({ projectId, said, undo: send });
}

/** The offer to undo the last act in the project. It ends with the page, so also with the session. */
export function UndoToast() {
  const { project } = useCurrentProject();
  const shown = useSyncExternalStore(onChange, () => toast);
  useEffect(() => close, []);
  return (
    <div className="toast" role="status">
      {shown !== null && shown.projectId === project.id && <Shown key={count} said={shown.said} undo={shown.undo} />}
    </div>
  );
}

function Shown({ said, undo }: Omit<Toast, 'projectId'>) {
  const [isHeld, setIsHeld] = useState(false);
  // The toast is above dialogs, and so is its key.
  useDialogKeys(undo === undefined ? {} : { z: undo });
  useEffect(() => {
    if (undo === undefined || isHeld) return;
    const timer = setTimeout(close, SHOWN_MS);
    return () => clearTimeout(timer);
  }, [undo, isHeld]);
  return (
    <Paper
      withBorder
      shadow="md"
      p="xs"
      pl="md"
      // The time stops while somebody is about to press the button.
      onPointerEnter={() => setIsHeld(true)}
      onPointerLeave={() => setIsHeld(false)}
      onFocus={() => setIsHeld(true)}
      onBlur={() => setIsHeld(false)}
    >
      <Group gap="sm" wrap="nowrap">
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {said}
        </Text>
        {undo !== undefined && (
          <Button
            size="compact-sm"
            variant="subtle"
            style={{ flexShrink: 0 }}
            rightSection={<Kbd size="xs">z</Kbd>}
            onClick={undo}
          >
            Undo
          </Button>
        )}
        <CloseButton aria-label="Close the message" onClick={close} />
      </Group>
    </Paper>
  );
}
