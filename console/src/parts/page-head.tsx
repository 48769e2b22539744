import { Group, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { HelpLink } from './help-link.js';

interface Props {
  readonly title: string;
  /** The purpose of the page, in a sentence. */
  readonly about: string;
  /** The guide of the page, as `HelpLink` takes it. */
  readonly guide?: string;
  /** The actions of the page. */
  readonly children?: ReactNode;
}

/** The heading of every page of a project. */
export function PageHead({ title, about, guide, children }: Props) {
  return (
    <Group justify="space-between" align="flex-end">
      <div>
        <Title order={1} size="h2" style={{ overflowWrap: 'anywhere' }}>
          {title}
        </Title>
        <Text c="dimmed">
          {about} {guide !== undefined && <HelpLink guide={guide} about={title} />}
        </Text>
      </div>
      {children !== undefined && (
        <Group gap="sm" className="page-acts">
          {children}
        </Group>
      )}
    </Group>
  );
}
