import { Group, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

interface Props {
  readonly title: string;
  /** The purpose of the page, in a sentence. */
  readonly about: string;
  /** The actions of the page. */
  readonly children?: ReactNode;
}

/** The heading of every page of a project. */
export function PageHead({ title, about, children }: Props) {
  return (
    <Group justify="space-between" align="flex-end">
      <div>
        <Title order={1} size="h2" style={{ overflowWrap: 'anywhere' }}>
          {title}
        </Title>
        <Text c="dimmed">{about}</Text>
      </div>
      {children !== undefined && <Group gap="sm">{children}</Group>}
    </Group>
  );
}
