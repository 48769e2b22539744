import { Code, ScrollArea, Table, Title } from '@mantine/core';
import type { ReactNode } from 'react';

/** A table of names and values, one `Fact` per row. */
export function Facts({ children }: { readonly children: ReactNode }) {
  return (
    <Table variant="vertical" layout="fixed">
      <Table.Tbody>{children}</Table.Tbody>
    </Table>
  );
}

export function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <Table.Tr>
      <Table.Th w={128} style={{ overflowWrap: 'anywhere' }}>
        {name}
      </Table.Th>
      <Table.Td style={{ overflowWrap: 'anywhere' }}>{children}</Table.Td>
    </Table.Tr>
  );
}

/** Shows JSON with a heading. */
export function JsonText({ name, value }: { readonly name: string; readonly value: unknown }) {
  return (
    <div>
      <Title order={3} size="h6" mb={4}>
        {name}
      </Title>
      <ScrollArea.Autosize mah={260} type="auto" viewportProps={{ tabIndex: 0, 'aria-label': name, role: 'region' }}>
        <Code block>{JSON.stringify(value, null, 2)}</Code>
      </ScrollArea.Autosize>
    </div>
  );
}
