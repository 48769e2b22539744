import { Group, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

interface Props {
  readonly title: string;
  /** What the page is for, in a sentence. */
  readonly about: string;
  /** What can be done here. */
  readonly children?: ReactNode;
}

/** How every page of a project begins. */
export function PageHead({ title, about, children }: Props) {
  return (
    <Group justify="space-between" align="flex-end">
      <div>
        <Title order={1} size="h2">
          {title}
        </Title>
        <Text c="dimmed">{about}</Text>
      </div>
      {children !== undefined && <Group gap="sm">{children}</Group>}
    </Group>
  );
}
