import { ActionIcon, Button, Card, Group, NumberInput, Progress, Select, Stack, Text } from '@mantine/core';
import type { Schemas } from '@operational-events/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type SubmitEvent, useState } from 'react';
import { funnel } from '../../api/insight.js';
import { Failure } from '../../parts/failures.js';
import { Icon } from '../../parts/icons.js';
import { duration, share, whole } from '../../parts/numbers.js';
import { Empty } from '../../parts/rows.js';
import { Suggested } from '../../parts/suggested.js';
import { PendingPage } from '../../shell/around-pages.js';
import type { QuestionProps } from './analytics.js';

const MOST_STEPS = 10;
const UNITS = [
  { value: '1', label: 'seconds' },
  { value: '60', label: 'minutes' },
  { value: '3600', label: 'hours' },
  { value: '86400', label: 'days' },
];
const WEEK_S = 604_800;

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
  const { data, error, isPending, fetchStatus } = useQuery({
    ...funnel(projectId, window, narrowed, { steps, by, within_seconds: within }),
    placeholderData: keepPreviousData,
  });
  const answer = (
    <>
      <Failure error={error} />
      {isPending && fetchStatus === 'fetching' && <PendingPage />}
      {steps.length < 2 && (
        <Empty
          title="How far do people come?"
          about="Name two or more events in their order, such as cart.opened and order.placed, and whose they are, such as properties.user."
        />
      )}
      {data !== undefined && steps.length > 1 && <Steps answer={data} />}
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
    return Array.isArray(read) ? read.filter((each) => typeof each === 'string').slice(0, MOST_STEPS) : [];
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
                  aria-label={`Leave out step ${index + 1}`}
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
              disabled={steps.length >= MOST_STEPS}
              leftSection={<Icon name="plus" size={14} />}
              onClick={() => setSteps((all) => [...all, ''])}
            >
              Another step
            </Button>
          </Group>
          <Group gap="sm" align="flex-end">
            <Suggested
              label="Of each"
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
              Follow them
            </Button>
          </Group>
        </Stack>
      </form>
    </Card>
  );
}

function Steps({ answer: { steps, conversion, values } }: { readonly answer: Schemas['FunnelResponse'] }) {
  return (
    <Card withBorder>
      <Stack gap="md">
        <Text size="sm" c="dimmed" role="status">
          {whole(values)} have one of these events; of those that began, {share(conversion)} came to the end
        </Text>
        {steps.map((step) => (
          <div key={step.step}>
            <Group justify="space-between" wrap="nowrap" gap="sm">
              <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
                {step.step}. {step.event}
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
              aria-label={`Share that came to step ${step.step}`}
            />
            <Text size="xs" c="dimmed">
              {[
                step.step > 1 && `${share(step.step_conversion)} of the step before`,
                step.dropped > 0 && `${whole(step.dropped)} went no further`,
                step.median_seconds !== null && `half within ${duration(step.median_seconds)}`,
                step.p95_seconds !== null && `95 % within ${duration(step.p95_seconds)}`,
              ]
                .filter(Boolean)
                .join(' · ')}
            </Text>
          </div>
        ))}
      </Stack>
    </Card>
  );
}
