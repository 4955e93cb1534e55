/** Creates a member, who sets the password with a mail. */
import { Checkbox, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNotify } from 'ra-core';
import { useMemo, useState } from 'react';
import { useNavigate, useParams } from 'react-router';
import { sendPasswordMail } from '../api/members.js';
import { createUnit } from '../api/units.js';
import { faultsOf, type FieldErrors } from '../data/faults.js';
import { UNITS } from '../data/source.js';
import { UnitForm } from '../data/unit-form.js';
import { useStruct } from '../data/use-kinds.js';
import { useText } from '../i18n/text.js';
import { EmptyPage, PageError, Waiting } from '../shell/page-states.js';
import { addressOfMember } from './addresses.js';
import { NoMailNotice } from './mail.js';
import { useMemberKinds } from './use-member-kinds.js';

export function NewMemberPage() {
  const text = useText();
  const { kind = '' } = useParams();
  const notify = useNotify();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const { labelOf } = useMemberKinds();
  const { data, error, refetch } = useStruct(kind);
  const [sendsMail, setSendsMail] = useState(true);
  // Those of a sign-up: nobody but the member knows the password.
  const fields = useMemo(
    () => data?.filter(({ id, persistence }) => persistence !== 'run_time' && id !== 'kind_system_user'),
    [data],
  );
  const save = async (values: Readonly<Record<string, unknown>>): Promise<FieldErrors | undefined> => {
    try {
      const { id } = await createUnit(kind, values);
      notify(text('members.created', { name: String(values['username']) }), { type: 'success' });
      await queries.invalidateQueries({ queryKey: [UNITS] });
      // The member is there, whatever becomes of the mail: its page offers it again.
      const failure = sendsMail ? await failureOf(sendPasswordMail(String(values['email']))) : undefined;
      if (failure !== undefined) notify(failure, { type: 'error' });
      void navigate(addressOfMember(kind, id), { replace: true });
      return undefined;
    } catch (fault) {
      return faultsOf(fault, fields ?? [], text);
    }
  };
  if (error) {
    return (
      <EmptyPage title={text('members.new')}>
        <PageError error={error} onRetry={() => void refetch()} />
      </EmptyPage>
    );
  }
  if (!fields) return <Waiting />;
  return (
    <div className="page" style={{ overflow: 'auto' }}>
      <Title order={1} size="h3" className="text-of-tenant">
        {text('members.new_of', { kind: labelOf(kind) })}
      </Title>
      <Checkbox
        label={text('members.mail_after')}
        checked={sendsMail}
        onChange={({ currentTarget }) => setSendsMail(currentTarget.checked)}
      />
      {sendsMail && <NoMailNotice />}
      <UnitForm fields={fields} unit={undefined} isNew onSave={save} />
    </div>
  );
}

async function failureOf(work: Promise<void>): Promise<string | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
