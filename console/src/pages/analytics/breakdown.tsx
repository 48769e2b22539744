import { Progress, Stack, Table, Text } from '@mantine/core';
import { breakdown } from '../../api/insight.js';
import { useAnswer } from '../../parts/answers.js';
import { EventsLink, type EventsSearch, IS_ERROR } from '../../parts/events-link.js';
import { Failure } from '../../parts/failures.js';
import { countNote } from '../../parts/figure.js';
import { numbered, share, whole } from '../../parts/numbers.js';
import { Cell, Rows } from '../../parts/rows.js';
import { Suggested } from '../../parts/suggested.js';
import { PendingPage } from '../../shell/around-pages.js';
import type { QuestionProps } from './analytics.js';
import { eventsOfOthers, eventsOfValue } from './behind.js';

/** The most frequent values of a field. */
export function Breakdown({ projectId, window, narrowed, search, set, fields, isBare = false }: QuestionProps) {
  const by = search.by ?? 'event';
  const { data, error, isPending } = useAnswer(breakdown(projectId, window, narrowed, by));
  const answer = (
    <>
      <Failure error={error} />
      {isPending && <PendingPage />}
      {data !== undefined && (
        <>
          <Text size="sm" c="dimmed" role="status">
            {numbered(data.distinct, 'value')} in {numbered(data.total.events, 'event')}
          </Text>
          <Rows label="Values" columns={['Value', 'Events', 'Share', 'Errors', 'Change']}>
            {data.items.map((item) => (
              <Table.Tr key={`${typeof item.value} ${String(item.value)}`}>
                <Cell column="Value" style={{ overflowWrap: 'anywhere' }}>
                  <EventsLink search={eventsOfValue(narrowed, by, item.value)}>
                    {item.name ?? textOf(item.value)}
                  </EventsLink>
                </Cell>
                <Cell column="Events" className="numbers">
                  {whole(item.events)}
                </Cell>
                <Cell column="Share" miw={140}>
                  <Share part={item.share} />
                </Cell>
                <Cell column="Errors" className="numbers">
                  {item.errors === 0 ? (
                    '0'
                  ) : (
                    <EventsLink
                      inherit
                      underline="always"
                      title="Show the errors"
                      search={eventsOfValue(narrowed, by, item.value, IS_ERROR)}
                    >
                      {whole(item.errors)}
                    </EventsLink>
                  )}{' '}
                  ({share(item.error_rate)})
                </Cell>
                <Cell column="Change">
                  {countNote(item.events, item.change, item.previous_events)?.replace(' vs. previous period', '') ??
                    '–'}
                </Cell>
              </Table.Tr>
            ))}
            {data.other.values > 0 && (
              <Rest
                name={`${whole(data.other.values)} other values`}
                counts={data.other}
                all={data.total.events}
                search={eventsOfOthers(narrowed, by, {
                  values: data.items.map(({ value }) => value),
                  hasMissing: false,
                })}
              />
            )}
            {data.missing.events > 0 && (
              <Rest
                name="Events without it"
                counts={data.missing}
                all={data.total.events}
                search={eventsOfValue(narrowed, by, null)}
              />
            )}
          </Rows>
        </>
      )}
    </>
  );
  if (isBare) return answer;
  return (
    <Stack gap="md">
      <Suggested
        label="Group by"
        maw={320}
        data={[...fields]}
        limit={50}
        maxLength={200}
        value={by}
        onChange={(value) => set({ by: value })}
      />
      {answer}
    </Stack>
  );
}

/** Distinguishes the number `1` from the text `"1"`. */
function textOf(value: string | number | boolean): string {
  if (value === '') return '(empty)';
  return typeof value === 'string' && /^(\d+(\.\d+)?|true|false)$/.test(value) ? `"${value}"` : String(value);
}

function Share({ part }: { readonly part: number }) {
  return (
    <>
      <Text size="xs" className="numbers">
        {share(part)}
      </Text>
      <Progress value={part * 100} size="sm" color="sea.5" aria-label="Share of the events" />
    </>
  );
}

interface RestProps {
  readonly name: string;
  readonly counts: { readonly events: number; readonly errors: number };
  readonly all: number;
  /** Undefined: no filter selects these events. */
  readonly search: EventsSearch | undefined;
}

function Rest({ name, counts, all, search }: RestProps) {
  return (
    <Table.Tr c="dimmed">
      <Cell column="Value">
        <EventsLink search={search}>{name}</EventsLink>
      </Cell>
      <Cell column="Events" className="numbers">
        {whole(counts.events)}
      </Cell>
      <Cell column="Share">
        <Share part={all === 0 ? 0 : counts.events / all} />
      </Cell>
      <Cell column="Errors" className="numbers">
        {whole(counts.errors)}
      </Cell>
      <Cell column="Change">–</Cell>
    </Table.Tr>
  );
}
