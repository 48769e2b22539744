import { ActionIcon, Button, Card, Group, NumberInput, Progress, Select, Stack, Text } from '@mantine/core';
import type { Schemas } from '@operational-events/client';
import { type SubmitEvent, useState } from 'react';
import { funnel, type Narrowed } from '../../api/insight.js';
import { useAnswer } from '../../parts/answers.js';
import { allOf, clausesOf, fieldOf, isValue, literalOf } from '../../parts/conditions.js';
import { EventsLink } from '../../parts/events-link.js';
import { Failure } from '../../parts/failures.js';
import { Icon } from '../../parts/icons.js';
import { LinkAnchor } from '../../parts/links.js';
import { duration, share, whole } from '../../parts/numbers.js';
import { Empty } from '../../parts/rows.js';
import { Suggested } from '../../parts/suggested.js';
import { PendingPage } from '../../shell/around-pages.js';
import { useCurrentProject } from '../../shell/current-project.js';
import type { QuestionProps } from './analytics.js';
import { eventsWith } from './behind.js';

const MAX_STEPS = 10;
const UNITS = [
  { value: '1', label: 'seconds' },
  { value: '60', label: 'minutes' },
  { value: '3600', label: 'hours' },
  { value: '86400', label: 'days' },
];
const WEEK_S = 604_800;
/** The service refuses longer queries. */
const MAX_QUERY_CHARACTERS = 10_000;

/** Shows how many of those that took the first step reached each further step. */
export function Funnel({
  projectId,
  window,
  narrowed,
  search,
  set,
  fields,
  eventTypes,
  isBare = false,
}: QuestionProps) {
  const steps = stepsOf(search.steps);
  const by = search.by ?? '';
  const within = search.within === undefined ? undefined : Number(search.within);
  const { data, error, isPending, fetchStatus } = useAnswer(
    funnel(projectId, window, narrowed, { steps, by, within_seconds: within }),
  );
  const answer = (
    <>
      <Failure error={error} />
      {isPending && fetchStatus === 'fetching' && <PendingPage />}
      {steps.length < 2 && (
        <Empty
          title="No steps yet"
          about="Choose two or more events in their order, such as cart.opened and order.placed, and the field that identifies a person or an order, such as properties.user."
        />
      )}
      {data !== undefined && steps.length > 1 && <Steps answer={data} narrowed={narrowed} within={within ?? WEEK_S} />}
    </>
  );
  if (isBare) return answer;
  return (
    <Stack gap="md">
      <Builder
        key={`${search.steps} ${by} ${search.within}`}
        steps={steps}
        by={by}
        within={within ?? WEEK_S}
        fields={fields}
        eventTypes={eventTypes}
        onAsk={set}
      />
      {answer}
    </Stack>
  );
}

function stepsOf(text: string | undefined): string[] {
  try {
    const read: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(read) ? read.filter((each) => typeof each === 'string').slice(0, MAX_STEPS) : [];
  } catch {
    return [];
  }
}

interface BuilderProps {
  readonly steps: readonly string[];
  readonly by: string;
  readonly within: number;
  readonly fields: readonly string[];
  readonly eventTypes: readonly string[];
  readonly onAsk: QuestionProps['set'];
}

function Builder({ steps: before, by: byBefore, within, fields, eventTypes, onAsk }: BuilderProps) {
  const [steps, setSteps] = useState<readonly string[]>(before.length > 1 ? before : ['', '']);
  const [by, setBy] = useState(byBefore);
  const [unit, setUnit] = useState(() => UNITS.findLast(({ value }) => within % Number(value) === 0)?.value ?? '1');
  const [many, setMany] = useState<number | string>(within / Number(unit));
  const isWhole = steps.every((step) => step !== '') && by !== '' && Number(many) > 0;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const seconds = Math.round(Number(many) * Number(unit));
    if (isWhole) onAsk({ steps: JSON.stringify(steps), by, within: seconds === WEEK_S ? undefined : String(seconds) });
  };
  const change = (index: number, step: string) =>
    setSteps((all) => all.map((each, at) => (at === index ? step : each)));
  return (
    <Card withBorder>
      <form onSubmit={submit}>
        <Stack gap="sm">
          {steps.map((step, index) => (
            <Group key={index} gap="xs" wrap="nowrap" align="flex-end">
              <Suggested
                label={`Step ${index + 1}`}
                placeholder="An event"
                style={{ flex: 1, maxWidth: 420 }}
                data={[...eventTypes]}
                limit={50}
                maxLength={200}
                value={step === '' ? undefined : step}
                onChange={(value) => change(index, value ?? '')}
              />
              {steps.length > 2 && (
                <ActionIcon
                  variant="subtle"
                  size="lg"
                  aria-label={`Remove step ${index + 1}`}
                  onClick={() => setSteps((all) => all.filter((_, at) => at !== index))}
                >
                  <Icon name="close" size={16} />
                </ActionIcon>
              )}
            </Group>
          ))}
          <Group>
            <Button
              size="compact-sm"
              variant="subtle"
              disabled={steps.length >= MAX_STEPS}
              leftSection={<Icon name="plus" size={14} />}
              onClick={() => setSteps((all) => [...all, ''])}
            >
              Add a step
            </Button>
          </Group>
          <Group gap="sm" align="flex-end">
            <Suggested
              label="Group by"
              placeholder="properties.user"
              w={{ base: '100%', xs: 220 }}
              data={fields.filter((name) => !name.startsWith('log.'))}
              limit={50}
              maxLength={200}
              value={by === '' ? undefined : by}
              onChange={(value) => setBy(value ?? '')}
            />
            <NumberInput label="Within" w={90} min={1} allowDecimal={false} value={many} onChange={setMany} />
            <Select
              aria-label="Unit"
              w={110}
              data={UNITS}
              allowDeselect={false}
              value={unit}
              onChange={(value) => setUnit(value ?? '1')}
            />
            <Button type="submit" aria-disabled={!isWhole}>
              Show the funnel
            </Button>
          </Group>
        </Stack>
      </form>
    </Card>
  );
}

interface StepsProps {
  readonly answer: Schemas['FunnelResponse'];
  readonly narrowed: Narrowed;
  /** In seconds. */
  readonly within: number;
}

function Steps({ answer, narrowed, within }: StepsProps) {
  const { steps, conversion, values, by } = answer;
  const hasKey = `${fieldOf(by)} != null`;
  const events = steps.map(({ event }) => event);
  return (
    <Card withBorder>
      <Stack gap="md">
        <Text size="sm" c="dimmed" role="status">
          {whole(values)} have one of these events. {share(conversion)} of those that began reached the last step.
        </Text>
        {steps.map((step) => (
          <div key={step.step}>
            <Group justify="space-between" wrap="nowrap" gap="sm">
              <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
                {step.step}.{' '}
                <EventsLink
                  inherit
                  title="Show the events of this step"
                  search={eventsWith(narrowed, isValue('event', step.event), hasKey)}
                >
                  {step.event}
                </EventsLink>
              </Text>
              <Text className="numbers" style={{ whiteSpace: 'nowrap' }}>
                {whole(step.reached)} · {share(step.conversion)}
              </Text>
            </Group>
            <Progress
              value={step.conversion * 100}
              size="xl"
              color="sea.6"
              my={4}
              aria-label={`Share that reached step ${step.step}`}
            />
            <Text size="xs" c="dimmed">
              {[
                step.step > 1 && `${share(step.step_conversion)} of the previous step`,
                step.median_seconds !== null && `p50 ${duration(step.median_seconds)}`,
                step.p95_seconds !== null && `p95 ${duration(step.p95_seconds)}`,
              ]
                .filter(Boolean)
                .join(' · ')}
              {step.dropped > 0 && (
                <>
                  {step.step > 1 && ' · '}
                  <Left count={step.dropped} query={leftAfter(events, step.step, { by, within, narrowed })} />
                </>
              )}
            </Text>
          </div>
        ))}
        <Text size="xs" c="dimmed">
          “Went no further” opens a query for the events of those who left. It lists attempts, so somebody who tried
          twice may be listed twice, or although one attempt succeeded.
        </Text>
      </Stack>
    </Card>
  );
}

/** Links to the events of those who left, if a query can find them. */
function Left({ count, query }: { readonly count: number; readonly query: string }) {
  const { organization, project } = useCurrentProject();
  const text = `${whole(count)} went no further`;
  if (query.length > MAX_QUERY_CHARACTERS) return text;
  return (
    <LinkAnchor
      to="/o/$organization/p/$project/eql"
      params={{ organization: organization.slug, project: project.slug }}
      search={{ q: query }}
      inherit
      underline="always"
      title="Show their events up to this step"
    >
      {text}
    </LinkAnchor>
  );
}

/** Returns the query for the events of those who reached a step, but not the next one. @param reached counted from 1 */
function leftAfter(
  events: readonly string[],
  reached: number,
  { by, within, narrowed }: { readonly by: string; readonly within: number; readonly narrowed: Narrowed },
): string {
  const { event, where } = narrowed;
  const condition = allOf([...clausesOf(where), ...(event === undefined ? [] : [isValue('event', event)])]) ?? 'true';
  const stages = events
    .slice(0, reached + 1)
    .map((each, index) => `  ${index === reached ? '!' : ''}[${literalOf(each)} where ${condition}]`);
  return [`sequence by ${fieldOf(by)} with maxspan=${within}s`, ...stages].join('\n');
}
