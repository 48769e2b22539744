import { Badge, Select, Tooltip } from '@mantine/core';
import type { Schemas } from '@operational-events/client';
import { useMutation } from '@tanstack/react-query';
import { ASSIGNABLE, type AssignableRole } from '../api/organization.js';
import { sentenceOf } from './failures.js';
import { wordsOf } from './words.js';

interface Props {
  /** Whose role it is. */
  readonly name: string;
  readonly role: Schemas['Role'];
  /** Why it cannot be changed by whoever looks; undefined when it can. */
  readonly refusal: string | undefined;
  /** Whether whoever looks may make admins. */
  readonly mayMakeAdmins: boolean;
  /** Also reads anew what it has changed. */
  readonly change: (role: AssignableRole) => Promise<unknown>;
}

/** A role that is changed where it stands; another choice takes it back. */
export function RoleSelect({ name, role, refusal, mayMakeAdmins, change }: Props) {
  const changing = useMutation({ mutationFn: change });
  if (refusal !== undefined || role === 'owner') {
    return (
      <Tooltip label={refusal} disabled={refusal === undefined}>
        <Badge variant="light" color="gray" tabIndex={refusal === undefined ? -1 : 0}>
          {wordsOf(role)}
        </Badge>
      </Tooltip>
    );
  }
  return (
    <Select
      aria-label={`Role of ${name}`}
      size="xs"
      w={130}
      data={ASSIGNABLE.map((each) => ({ ...each, disabled: each.value === 'admin' && !mayMakeAdmins }))}
      value={changing.isPending ? changing.variables : role}
      disabled={changing.isPending}
      error={changing.error === null ? undefined : sentenceOf(changing.error)}
      allowDeselect={false}
      onChange={(value) => {
        if (value !== null && value !== role) changing.mutate(value);
      }}
    />
  );
}
