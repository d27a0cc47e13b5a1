import type { ExpectedReport, Row } from '../../tools/lab/row.ts';
import { phone } from '../../tools/lab/sip-script.ts';
import type { Placed, Stage } from '../../tools/lab/stage.ts';

type Called = Pick<Row, 'name' | 'says'> &
  Partial<Omit<Row, 'play'>> & {
    /** How the customer calls. */
    readonly caller?: Parameters<Stage['customerCalls']>[0];
    /** What happens before the caller hangs up; the caller talks with who answers when absent. */
    happens?(stage: Stage, call: Placed): Promise<void>;
  };

/** A customer calls, and hangs up in the end. Without other words, the first extension is dialled, and answers. */
export function called({ caller, happens, ...row }: Called): Row {
  const reported: readonly ExpectedReport[] = row.reported ?? [{ answeredBy: 1 }];
  const answeredBy = reported[0]?.answeredBy ?? 1;
  return {
    dialplan: ['Dial(PJSIP/{P}1,20)'],
    phones: { 1: phone.answers() },
    ...row,
    reported,
    async play(stage) {
      const call = await stage.customerCalls(caller);
      if (happens) await happens(stage, call);
      else if (answeredBy !== 'elsewhere' && answeredBy !== 'trunk')
        await stage.talk(call, answeredBy === 'reception' ? 5 : answeredBy);
      call.hangsUp();
    },
  };
}
