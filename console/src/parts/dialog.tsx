import { Button, getDefaultZIndex, Group, Modal, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Failure } from './failures.js';

interface DialogProps {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly size?: 'md' | 'lg' | 'xl';
  /** Over other dialogs. */
  readonly isOnTop?: boolean;
  readonly children: ReactNode;
}

/** Over the page; Escape closes it. */
export function Dialog({ title, isOpen, onClose, size = 'md', isOnTop = false, children }: DialogProps) {
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={title}
      size={size}
      zIndex={getDefaultZIndex('modal') + (isOnTop ? 1 : 0)}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {children}
    </Modal>
  );
}

interface ConfirmationProps {
  /** The verb of what is done. */
  readonly verb: string;
  /** Of what cannot be taken back. */
  readonly isDangerous?: boolean;
  /** Also reads anew what it has changed. */
  readonly act: () => Promise<unknown>;
  readonly onClose: () => void;
  /** What will be, in sentences. */
  readonly children: ReactNode;
}

/** Asks before something is done, inside a dialog. */
export function Confirmation({ verb, isDangerous = false, act, onClose, children }: ConfirmationProps) {
  const acting = useMutation({ mutationFn: act, onSuccess: onClose });
  return (
    <Stack>
      <div>{children}</div>
      <Failure error={acting.error} />
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          Keep it
        </Button>
        <Button {...(isDangerous && { color: 'red' })} loading={acting.isPending} onClick={() => acting.mutate()}>
          {verb}
        </Button>
      </Group>
    </Stack>
  );
}
