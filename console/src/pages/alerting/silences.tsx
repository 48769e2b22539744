import { Alert, Button, Group, Stack, Table, Text, TextInput } from '@mantine/core';
import { isFilter, type Schemas } from '@operational-events/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type SubmitEvent, useState } from 'react';
import { silences, silencesKey } from '../../api/alerting.js';
import { api } from '../../api/client.js';
import { OPERATORS, useRefusal } from '../../api/roles.js';
import { Act } from '../../parts/act.js';
import { Choice } from '../../parts/choice.js';
import { Confirmation, Dialog } from '../../parts/dialog.js';
import { DurationSelect } from '../../parts/durations.js';
import { Failure } from '../../parts/failures.js';
import { Icon } from '../../parts/icons.js';
import { Moment } from '../../parts/moment.js';
import { Listed } from '../../parts/listed.js';
import { PageHead } from '../../parts/page-head.js';
import { Cell, Empty, Rows } from '../../parts/rows.js';
import { StateBadge } from '../../parts/state-badge.js';
import { offerUndo } from '../../parts/undo.js';
import { searchChange } from '../../parts/use-search-change.js';
import type { SilenceSearch } from '../../routes/alerting.js';
import { useCurrentProject } from '../../shell/current-project.js';
import { FilterForm } from './filters/filter-form.js';
import {
  draftOf,
  type FilterDraft,
  type FilterGroup,
  filterInWords,
  type FilterPart,
  groupOf,
  Misspelt,
  SILENCE_FIELDS,
} from './filters/filter.js';

type Silence = Schemas['SilenceResponse'];

const route = getRouteApi('/signed-in/o/$organization/p/$project/silences');
const LENGTHS_S = [1_800, 3_600, 14_400, 28_800, 86_400, 604_800];

export function SilencesPage() {
  const { project } = useCurrentProject();
  const { state, fingerprint } = route.useSearch();
  const navigate = route.useNavigate();
  const set = searchChange<SilenceSearch>(navigate);
  const { data, error } = useQuery(silences(project.id, state));
  const refusal = useRefusal(project.id, OPERATORS);
  const [isMaking, setIsMaking] = useState(false);
  const [changed, setChanged] = useState<Silence | null>(null);
  const [ended, setEnded] = useState<Silence | null>(null);
  const queries = useQueryClient();
  const isOpen = isMaking || (fingerprint !== undefined && refusal === undefined);
  const close = () => {
    setIsMaking(false);
    set({ fingerprint: undefined });
  };
  return (
    <Stack gap="lg">
      <PageHead
        title="Silences"
        guide="alerts"
        about="While a silence is active, matching alerts notify nobody. They are still opened and counted."
      >
        <Act refusal={refusal} leftSection={<Icon name="plus" size={16} />} onAct={() => setIsMaking(true)}>
          New silence
        </Act>
      </PageHead>
      <Group>
        <Choice
          label="State"
          options={['active', 'pending', 'expired'] as const}
          value={state}
          onChange={(next) => set({ state: next })}
        />
      </Group>
      <Listed
        query={{ data, error }}
        empty={
          state === undefined ? (
            <Empty
              title="No silence yet"
              about="Silence alerts before planned work that would cause them. Alerts that are unresolved at the end of the silence notify then, once each."
            />
          ) : (
            <Empty title={`No silence is ${state}`} about="Choose another state to see others." />
          )
        }
      >
        {(items) => (
          <Rows label="Silences" columns={['Filter', 'Reason', 'From', 'Until', 'State', null]} minWidth={820}>
            {items.map((silence) => (
              <Table.Tr key={silence.id}>
                <Cell column="Filter" style={{ overflowWrap: 'anywhere' }}>
                  {isFilter(silence.filter)
                    ? filterInWords(silence.filter as FilterPart)
                    : 'A filter of an earlier version'}
                  {silence.filter_error !== null && (
                    <Text size="sm" c="red">
                      It silences nothing: {silence.filter_error}
                    </Text>
                  )}
                </Cell>
                <Cell column="Reason">{silence.reason ?? '–'}</Cell>
                <Cell column="From">
                  <Moment at={silence.starts_at} />
                </Cell>
                <Cell column="Until">
                  <Moment at={silence.ends_at} />
                </Cell>
                <Cell column="State">
                  <StateBadge state={silence.state} />
                </Cell>
                <Table.Td ta="end">
                  {silence.state !== 'expired' && (
                    <Group gap={4} wrap="nowrap" justify="flex-end">
                      <Act size="xs" variant="subtle" refusal={refusal} onAct={() => setChanged(silence)}>
                        Change
                      </Act>
                      <Act size="xs" variant="subtle" color="red" refusal={refusal} onAct={() => setEnded(silence)}>
                        End
                      </Act>
                    </Group>
                  )}
                </Table.Td>
              </Table.Tr>
            ))}
          </Rows>
        )}
      </Listed>
      <Dialog title="New silence" guide="alerts" size="lg" isOpen={isOpen} onClose={close}>
        <SilenceForm projectId={project.id} fingerprint={fingerprint} onDone={close} />
      </Dialog>
      <Dialog title="Change the silence" size="lg" isOpen={changed !== null} onClose={() => setChanged(null)}>
        {changed !== null && <SilenceForm projectId={project.id} silence={changed} onDone={() => setChanged(null)} />}
      </Dialog>
      <Dialog title="End the silence" isOpen={ended !== null} onClose={() => setEnded(null)}>
        {ended !== null && (
          <Confirmation
            verb="End it"
            act={async () => {
              await api.deleteAlertSilence({ path: { silence_id: ended.id } });
              await queries.invalidateQueries({ queryKey: silencesKey(project.id) });
            }}
            onClose={() => setEnded(null)}
          >
            Matching alerts that are unresolved notify within seconds, once each. The silence stays in the list as
            expired.
          </Confirmation>
        )}
      </Dialog>
    </Stack>
  );
}

interface FormProps {
  readonly projectId: string;
  readonly silence?: Silence;
  readonly fingerprint?: string | undefined;
  readonly onDone: () => void;
}

function filterOf(silence: Silence | undefined, fingerprint: string | undefined): FilterDraft {
  if (silence !== undefined && isFilter(silence.filter)) {
    const filter = silence.filter as FilterPart;
    return draftOf('field' in filter ? { all: [filter] } : filter);
  }
  const line =
    fingerprint === undefined ? { field: 'rule_name', value: '' } : { field: 'fingerprint', value: fingerprint };
  return { mode: 'all', lines: [{ ...line, op: 'eq' }] };
}

function SilenceForm({ projectId, silence, fingerprint, onDone }: FormProps) {
  const queries = useQueryClient();
  const [filter, setFilter] = useState(() => filterOf(silence, fingerprint));
  const [seconds, setSeconds] = useState(3_600);
  const [reason, setReason] = useState(silence?.reason ?? '');
  const saving = useMutation({
    mutationFn: async () => {
      const group: FilterGroup = groupOf(filter);
      if (Object.keys(group).length === 0) throw new Misspelt('A silence needs a filter. Add a comparison');
      const body = {
        filter: group as Schemas['SilenceFilter'],
        ends_at: new Date(Date.now() + seconds * 1000).toISOString(),
        reason: reason.trim() === '' ? null : reason.trim(),
      };
      return silence === undefined
        ? api.createAlertSilence({ body: { ...body, project_id: projectId } })
        : api.updateAlertSilence({ path: { silence_id: silence.id }, body });
    },
    onSuccess: async ({ id: silence_id }) => {
      const readAgain = () => queries.invalidateQueries({ queryKey: silencesKey(projectId) });
      if (silence === undefined)
        offerUndo({
          projectId,
          said: reason.trim() === '' ? 'Started a silence' : `Started the silence “${reason.trim()}”`,
          failed: 'The silence was not ended',
          undo: () => api.deleteAlertSilence({ path: { silence_id } }),
          readAgain,
        });
      await readAgain();
      onDone();
    },
  });
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    saving.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <FilterForm
          label="Filter"
          none="Add a comparison"
          fields={SILENCE_FIELDS}
          value={filter}
          onChange={setFilter}
        />
        <DurationSelect
          label={silence === undefined ? 'Duration' : 'Duration from now'}
          choices={LENGTHS_S}
          value={seconds}
          onChange={setSeconds}
        />
        <TextInput
          label="Reason"
          placeholder="The database is being moved"
          maxLength={500}
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
        {saving.error instanceof Misspelt ? (
          <Alert color="red" variant="light" role="alert">
            {saving.error.message}
          </Alert>
        ) : (
          <Failure error={saving.error} />
        )}
        <Group justify="flex-end">
          <Button type="submit" loading={saving.isPending}>
            {silence === undefined ? 'Silence' : 'Save'}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
