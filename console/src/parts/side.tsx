import { Drawer } from '@mantine/core';
import type { ReactNode } from 'react';

interface Props {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly size?: 'lg' | 'xl';
  readonly children: ReactNode;
}

/** A drawer with details of one thing, next to its list. Escape closes it. */
export function Side({ title, isOpen, onClose, size = 'lg', children }: Props) {
  return (
    <Drawer
      opened={isOpen}
      onClose={onClose}
      position="right"
      size={size}
      title={title}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {children}
    </Drawer>
  );
}
