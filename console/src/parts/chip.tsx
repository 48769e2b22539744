import { Badge } from '@mantine/core';
import type { ReactNode } from 'react';

interface Props {
  /** The label of the filter. */
  readonly children: ReactNode;
  readonly onClear: () => void;
}

/** A filter that is set. A click removes it. */
export function Chip({ children, onClear }: Props) {
  return (
    <Badge
      component="button"
      type="button"
      size="lg"
      variant="light"
      tt="none"
      mb={6}
      maw="100%"
      style={{ cursor: 'pointer' }}
      title="Remove this filter"
      rightSection={<span aria-hidden="true">×</span>}
      onClick={onClear}
    >
      {children}
    </Badge>
  );
}
