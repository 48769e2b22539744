import { Autocomplete, Group, MultiSelect, NumberInput, Radio, Select, SimpleGrid, Stack } from '@mantine/core';
import { DurationSelect } from '../../../parts/durations.js';
import { inWords } from '../../../parts/words.js';
import { FINDING_KINDS, SEVERITIES } from '../../../routes/alerting.js';
import { FilterForm } from '../filters/filter-form.js';
import { EVENT_FIELDS, FINDING_FIELDS, NO_FILTER } from '../filters/filter.js';
import { AGGREGATES, COMPARATORS, type Kind, type RuleDraft, takesField } from './draft.js';

interface Props {
  readonly draft: RuleDraft;
  readonly set: (change: Partial<RuleDraft>) => void;
}

const WINDOWS_S = [60, 300, 900, 1_800, 3_600, 21_600, 86_400];
const COMPARED_S = [300, 900, 3_600, 21_600, 86_400, 604_800];
const KINDS: readonly { readonly value: Kind; readonly label: string; readonly description: string }[] = [
  { value: 'match', label: 'An event', description: 'Fires on each event that matches' },
  { value: 'threshold', label: 'Threshold', description: 'Fires while a number of a window is beyond a threshold' },
  {
    value: 'rate_of_change',
    label: 'Change vs. previous period',
    description: 'Fires while a number differs from that of an earlier window',
  },
  { value: 'absence', label: 'No events for', description: 'Fires when no matching event came for a time' },
  { value: 'anomaly', label: 'A finding', description: 'Fires on findings of Sentinel' },
];

/** Edits the condition of a rule. */
export function ConditionForm({ draft, set }: Props) {
  const { kind } = draft;
  const isOfEvents = kind !== 'anomaly';
  return (
    <Stack>
      <Radio.Group
        label="Watch for"
        value={kind}
        onChange={(next) =>
          // Fields of findings do not exist on events, and vice versa.
          set({ kind: next, ...((next === 'anomaly') === isOfEvents && { filter: NO_FILTER }) })
        }
      >
        <SimpleGrid cols={{ base: 1, xs: 2 }} mt={6} spacing="xs">
          {KINDS.map(({ value, label, description }) => (
            <Radio key={value} value={value} label={label} description={description} />
          ))}
        </SimpleGrid>
      </Radio.Group>
      <FilterForm
        label={isOfEvents ? 'Filter of events' : 'Filter of findings'}
        none={isOfEvents ? 'Every event matches' : 'Every finding of these kinds matches'}
        fields={isOfEvents ? EVENT_FIELDS : FINDING_FIELDS}
        value={draft.filter}
        onChange={(filter) => set({ filter })}
      />
      {(kind === 'threshold' || kind === 'rate_of_change') && <Measure draft={draft} set={set} />}
      {kind === 'threshold' && (
        <Group grow align="flex-end">
          <Select
            label="Fires while it"
            data={Object.entries(COMPARATORS).map(([value, label]) => ({ value, label }))}
            allowDeselect={false}
            value={draft.op}
            onChange={(op) => set({ op: op as RuleDraft['op'] })}
          />
          <NumberInput
            label="Threshold"
            description={draft.aggregate === 'error_rate' ? 'From 0 to 1' : undefined}
            value={draft.value}
            onChange={(value) => set({ value })}
          />
        </Group>
      )}
      {kind === 'rate_of_change' && (
        <Group grow align="flex-end">
          <Select
            label="Fires while it moves"
            data={[
              { value: 'up', label: 'up' },
              { value: 'down', label: 'down' },
              { value: 'both', label: 'up or down' },
            ]}
            allowDeselect={false}
            value={draft.direction}
            onChange={(direction) => set({ direction: direction as RuleDraft['direction'] })}
          />
          <NumberInput label="By %" min={0} value={draft.percent} onChange={(percent) => set({ percent })} />
          <DurationSelect
            label="Compared with the window before"
            choices={COMPARED_S}
            value={draft.compareSeconds}
            onChange={(compareSeconds) => set({ compareSeconds })}
          />
        </Group>
      )}
      {kind === 'absence' && (
        <DurationSelect
          label="No events for"
          choices={WINDOWS_S}
          value={draft.windowSeconds}
          onChange={(windowSeconds) => set({ windowSeconds })}
        />
      )}
      {kind === 'anomaly' && (
        <Group grow align="flex-start">
          <MultiSelect
            label="Kinds of findings"
            placeholder={draft.findingKinds.length === 0 ? 'Every kind' : undefined}
            data={FINDING_KINDS.map((value) => ({ value, label: inWords(value) }))}
            value={[...draft.findingKinds]}
            onChange={(kinds) => set({ findingKinds: kinds })}
          />
          <Select
            label="Minimum severity"
            data={[...SEVERITIES]}
            allowDeselect={false}
            value={draft.minSeverity}
            onChange={(minSeverity) => set({ minSeverity: minSeverity as RuleDraft['minSeverity'] })}
          />
        </Group>
      )}
    </Stack>
  );
}

function Measure({ draft, set }: Props) {
  return (
    <SimpleGrid cols={{ base: 1, xs: takesField(draft.aggregate) ? 3 : 2 }}>
      <Select
        label="Measure"
        data={AGGREGATES}
        allowDeselect={false}
        value={draft.aggregate}
        onChange={(aggregate) => set({ aggregate: aggregate as RuleDraft['aggregate'] })}
      />
      {takesField(draft.aggregate) && (
        <Autocomplete
          label="Of"
          placeholder="properties.amount"
          data={['log.latency_ms', 'log.status', 'properties.']}
          required
          value={draft.aggregateField}
          onChange={(aggregateField) => set({ aggregateField })}
        />
      )}
      <DurationSelect
        label="Over"
        choices={WINDOWS_S}
        value={draft.windowSeconds}
        onChange={(windowSeconds) => set({ windowSeconds })}
      />
    </SimpleGrid>
  );
}
