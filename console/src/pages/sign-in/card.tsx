import { Center, Group, Paper, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Mark } from '../../parts/mark.js';

interface Props {
  readonly title: string;
  readonly lead?: ReactNode;
  readonly children: ReactNode;
}

/** A card alone in the middle of the page, for signing in and for the pages of mailed links. */
export function Card({ title, lead, children }: Props) {
  return (
    <Center component="main" mih="100dvh" p="md">
      <Stack w="100%" maw={420} gap="lg">
        <Group gap="sm" justify="center">
          <Mark />
          <Text fw={650}>Operational Event Service</Text>
        </Group>
        <Paper withBorder shadow="sm" p={{ base: 'md', sm: 'xl' }}>
          <Stack>
            <Title order={1} size="h3">
              {title}
            </Title>
            {lead !== undefined && <Text c="dimmed">{lead}</Text>}
            {children}
          </Stack>
        </Paper>
      </Stack>
    </Center>
  );
}
