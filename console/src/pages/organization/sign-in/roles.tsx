import { ActionIcon, Button, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { SsoRoles } from '../../../api/company-sign-in.js';
import { ASSIGNABLE, type AssignableRole } from '../../../api/organization.js';
import { Act } from '../../../parts/act.js';
import { ActForm } from '../../../parts/act-form.js';
import { Dialog } from '../../../parts/dialog.js';
import { Fact, Facts } from '../../../parts/facts.js';
import { Failure } from '../../../parts/failures.js';
import { Icon } from '../../../parts/icons.js';
import { Section } from '../../../parts/section.js';
import { wordsOf } from '../../../parts/words.js';
import { PendingPage } from '../../../shell/around-pages.js';
import { useCompanySignIn } from './use-company-sign-in.js';

const MAX_GROUPS = 200;

interface Props {
  /** Why the caller may not change the roles; undefined when they may. */
  readonly refusal: string | undefined;
}

/** Shows the roles of people who join by a provider. */
export function RolesSection({ refusal }: Props) {
  const { roles } = useCompanySignIn();
  const { data, error } = useQuery(roles);
  const [isEditing, setIsEditing] = useState(false);
  return (
    <Section
      title="Roles"
      about="The role that people get when a provider brings them into the organization. Later sign-ins change no role. Roles of members whom SCIM made follow their groups and a change here at once, until somebody changes them by hand. Nobody becomes the owner."
      acts={
        <Act refusal={refusal} variant="default" onAct={() => setIsEditing(true)}>
          Change the roles
        </Act>
      }
    >
      <Failure error={error} />
      {data === undefined && error === null && <PendingPage />}
      {data !== undefined && (
        <Facts>
          {data.group_roles.map(({ group, role }) => (
            <Fact key={group} name={group}>
              {wordsOf(role)}
            </Fact>
          ))}
          <Fact name={data.group_roles.length === 0 ? 'Everybody' : 'Everybody else'}>
            {wordsOf(data.default_role)}
          </Fact>
        </Facts>
      )}
      <Dialog
        title="Change the roles"
        guide="company-sign-in#roles"
        size="lg"
        isOpen={isEditing && data !== undefined}
        onClose={() => setIsEditing(false)}
      >
        {data !== undefined && <RolesForm before={data} onDone={() => setIsEditing(false)} />}
      </Dialog>
    </Section>
  );
}

interface FormProps {
  readonly before: SsoRoles;
  readonly onDone: () => void;
}

function RolesForm({ before, onDone }: FormProps) {
  const { setRoles, readAnew } = useCompanySignIn();
  const [defaultRole, setDefaultRole] = useState(before.default_role);
  const [groups, setGroups] = useState(before.group_roles);
  const set = (at: number, change: Partial<SsoRoles['group_roles'][number]>) =>
    setGroups(groups.map((each, index) => (index === at ? { ...each, ...change } : each)));
  const save = async () => {
    await setRoles({ default_role: defaultRole, group_roles: groups });
    await readAnew();
  };
  return (
    <ActForm verb="Save the roles" act={save} onDone={onDone}>
      <RoleChoice
        label="Everybody"
        description="People of whom no group is listed below"
        value={defaultRole}
        onChange={setDefaultRole}
      />
      <Stack gap={6} role="group" aria-label="Groups" align="flex-start">
        <Text size="sm" fw={500}>
          Groups
        </Text>
        <Text size="xs" c="dimmed">
          As the provider names them, exactly. A person of several groups gets the highest role.
        </Text>
        {groups.map(({ group, role }, index) => (
          // Groups have no unique name while they are typed.
          <Group key={index} gap="xs" wrap="nowrap" w="100%">
            <TextInput
              aria-label={`Group ${index + 1}`}
              required
              maxLength={256}
              style={{ flex: 1, minWidth: 0 }}
              value={group}
              onChange={(event) => set(index, { group: event.currentTarget.value })}
            />
            <RoleChoice
              ariaLabel={`Role of group ${index + 1}`}
              value={role}
              onChange={(next) => set(index, { role: next })}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              size="lg"
              aria-label={`Remove group ${index + 1}`}
              onClick={() => setGroups(groups.filter((_, at) => at !== index))}
            >
              <Icon name="cross" size={16} />
            </ActionIcon>
          </Group>
        ))}
        <Button
          size="xs"
          variant="default"
          disabled={groups.length >= MAX_GROUPS}
          leftSection={<Icon name="plus" size={14} />}
          onClick={() => setGroups([...groups, { group: '', role: 'viewer' }])}
        >
          Add a group
        </Button>
      </Stack>
    </ActForm>
  );
}

interface ChoiceProps {
  readonly label?: string;
  readonly ariaLabel?: string;
  readonly description?: string;
  readonly value: AssignableRole;
  readonly onChange: (role: AssignableRole) => void;
}

function RoleChoice({ label, ariaLabel, description, value, onChange }: ChoiceProps) {
  return (
    <Select
      {...(label === undefined ? { 'aria-label': ariaLabel, w: 130 } : { label, description })}
      data={ASSIGNABLE}
      value={value}
      allowDeselect={false}
      onChange={(next) => next !== null && onChange(next)}
    />
  );
}
