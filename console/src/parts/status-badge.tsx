import { Badge } from '@mantine/core';

/** Shows an HTTP status. */
export function StatusBadge({ status }: { readonly status: number }) {
  const color = status >= 500 ? 'red' : status >= 400 ? 'orange' : 'sea';
  return (
    <Badge variant="light" color={color} size="sm" px={6}>
      {status}
    </Badge>
  );
}
