import { Card, Stack, Table, type TableTdProps, Text, UnstyledButton, VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';

interface SortedColumn {
  readonly name: string;
  readonly isSorted?: boolean;
  readonly onSort?: () => void;
}

type Column = string | null | SortedColumn;

interface RowsProps {
  /** Names the rows for screen readers. */
  readonly label: string;
  /** Names of the columns. Null is the column of actions. Sortable columns sort descending. */
  readonly columns: readonly Column[];
  /**
   * The width in pixels below which the table scrolls. On phones each row is a block with the columns' names
   * (`page.css`), which each {@link Cell} gives.
   */
  readonly minWidth?: number;
  /** One `Table.Tr` per row, with a {@link Cell} for each column with a name. */
  readonly children: ReactNode;
}

/** A table of at most some hundred rows. Longer lists are virtual (`parts/virtual-rows.tsx`). */
export function Rows({ label, columns, minWidth = 560, children }: RowsProps) {
  return (
    <Card withBorder padding={0}>
      <Table.ScrollContainer
        className="stacked"
        minWidth={minWidth}
        scrollAreaProps={{
          offsetScrollbars: 'present',
          viewportProps: { tabIndex: 0, 'aria-label': label, role: 'region' },
        }}
      >
        <Table verticalSpacing="sm" horizontalSpacing="md">
          <Table.Thead>
            <Table.Tr>
              {columns.map((column) =>
                column === null ? (
                  <Table.Th key="acts">
                    <VisuallyHidden>Actions</VisuallyHidden>
                  </Table.Th>
                ) : typeof column === 'string' ? (
                  <Table.Th key={column}>{column}</Table.Th>
                ) : (
                  <SortableHead key={column.name} {...column} />
                ),
              )}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>{children}</Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Card>
  );
}

interface CellProps extends TableTdProps {
  /** The name of its column, which phones show before the content. */
  readonly column: string;
}

/** A cell of {@link Rows} in a column with a name. */
export function Cell({ column, ...props }: CellProps) {
  return <Table.Td {...props} data-column={column} />;
}

function SortableHead({ name, isSorted = false, onSort }: SortedColumn) {
  if (onSort === undefined) return <Table.Th>{name}</Table.Th>;
  return (
    <Table.Th aria-sort={isSorted ? 'descending' : 'none'}>
      <UnstyledButton fz="inherit" fw="inherit" onClick={onSort}>
        {name} <span aria-hidden="true">{isSorted ? '↓' : '↕'}</span>
      </UnstyledButton>
    </Table.Th>
  );
}

interface EmptyProps {
  readonly title: string;
  /** Describes the use of the missing thing, and how to create one. */
  readonly about: string;
  readonly children?: ReactNode;
}

/** Shown instead of a list without rows. It explains how to get the first one. */
export function Empty({ title, about, children }: EmptyProps) {
  return (
    <Card withBorder padding="xl">
      <Stack align="flex-start" gap="sm">
        <Text fw={600}>{title}</Text>
        <Text c="dimmed">{about}</Text>
        {children}
      </Stack>
    </Card>
  );
}
