import { Card, Group, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';

interface Props {
  readonly title: string;
  /** Describes the purpose of the section in a sentence or two. */
  readonly about?: ReactNode;
  /** The actions of the section. */
  readonly acts?: ReactNode;
  readonly children?: ReactNode;
}

/** A part of a page about one thing. */
export function Section({ title, about, acts, children }: Props) {
  const id = useId();
  return (
    <Card withBorder padding="lg" component="section" aria-labelledby={id}>
      <Stack>
        <Group justify="space-between" align="flex-start">
          <div style={{ flex: '1 1 220px', minWidth: 0 }}>
            <Title order={2} size="h4" id={id}>
              {title}
            </Title>
            {about !== undefined && (
              <Text c="dimmed" size="sm">
                {about}
              </Text>
            )}
          </div>
          {acts !== undefined && <Group gap="sm">{acts}</Group>}
        </Group>
        {children}
      </Stack>
    </Card>
  );
}

/** Shown instead of something that is not offered, with the reason. */
export function NotOffered({ why }: { readonly why: string }) {
  return (
    <Text size="sm" c="dimmed" role="note">
      {why}.
    </Text>
  );
}
