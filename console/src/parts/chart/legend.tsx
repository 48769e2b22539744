import { Table, UnstyledButton } from '@mantine/core';
import type { Series } from './series.js';
import { exactOf, type Unit } from './units.js';

interface Props {
  readonly series: readonly Series[];
  readonly unit: Unit;
  readonly colorOf: (series: Series) => string;
  /** The only series that is shown. Undefined: all are shown. */
  readonly isolated: Series | undefined;
  readonly onIsolate: (series: Series | undefined) => void;
}

/** Lists the series with their numbers. A click on a name shows this series alone, and a second click shows all. */
export function Legend({ series, unit, colorOf, isolated, onIsolate }: Props) {
  return (
    <div className="chart-legend" role="region" aria-label="Legend" tabIndex={0}>
      <Table verticalSpacing={2} horizontalSpacing={6} fz="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Series</Table.Th>
            {['Last', 'Min', 'Avg', 'Max'].map((name) => (
              <Table.Th key={name} ta="end">
                {name}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {series.map((each, index) => {
            const { last, min, avg, max } = numbersOf(each.values);
            return (
              <Table.Tr key={index} data-faded={isolated !== undefined && isolated !== each}>
                <Table.Td>
                  <Name series={each} color={colorOf(each)} isolated={isolated} onIsolate={onIsolate} />
                </Table.Td>
                {[last, min, avg, max].map((value, column) => (
                  <Table.Td key={column} ta="end" className="numbers">
                    {exactOf(unit, value)}
                  </Table.Td>
                ))}
              </Table.Tr>
            );
          })}
        </Table.Tbody>
      </Table>
    </div>
  );
}

/** Lists the names of the series only, for small charts. */
export function Names({ series, colorOf, isolated, onIsolate }: Omit<Props, 'unit'>) {
  return (
    <div className="chart-names" role="group" aria-label="Legend">
      {series.map((each, index) => (
        <Name key={index} series={each} color={colorOf(each)} isolated={isolated} onIsolate={onIsolate} />
      ))}
    </div>
  );
}

interface NameProps extends Pick<Props, 'isolated' | 'onIsolate'> {
  readonly series: Series;
  readonly color: string;
}

function Name({ series, color, isolated, onIsolate }: NameProps) {
  const { label, line } = series;
  const isIsolated = isolated === series;
  return (
    <UnstyledButton
      className="chart-name"
      fz="xs"
      title={isIsolated ? 'Show all' : `Show only ${label}`}
      aria-pressed={isIsolated}
      data-faded={isolated !== undefined && !isIsolated}
      onClick={() => onIsolate(isIsolated ? undefined : series)}
    >
      <Swatch color={color} line={line} />
      <span>{label}</span>
    </UnstyledButton>
  );
}

export function Swatch({ color, line }: { readonly color: string; readonly line: Series['line'] }) {
  return <span aria-hidden="true" className="chart-swatch" data-line={line} style={{ color }} />;
}

interface Numbers {
  readonly last: number | null;
  readonly min: number | null;
  readonly avg: number | null;
  readonly max: number | null;
}

/** Returns the numbers of the buckets that have a value. */
function numbersOf(values: readonly (number | null)[]): Numbers {
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return { last: null, min: null, avg: null, max: null };
  return {
    last: known.at(-1) ?? null,
    min: known.reduce((least, value) => Math.min(least, value)),
    avg: known.reduce((sum, value) => sum + value, 0) / known.length,
    max: known.reduce((most, value) => Math.max(most, value)),
  };
}
