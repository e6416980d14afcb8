// A small file of each family of records, as CSV and as NDJSON, and what is to be in the database afterwards.
import type { Json } from '../harness/app.ts';

/** Family, CSV, NDJSON of the same, columns to look at, the rows that are to be there. */
export const recordCases: [family: string, csv: string, ndjson: string, columns: string, rows: Json[]][] = [
  [
    'notes',
    'contact_mail,content,pinned,created_at\nada@example.org,"Hello, you",yes,2020-02-03\nADA@example.org,Second,true,\n',
    '{"contact_mail":"ada@example.org","content":"Hello, you","pinned":true,"created_at":"2020-02-03T00:00:00Z"}\n{"contact_external_id":"E1","content":"Second","pinned":true}\n',
    `content, pinned, created_at < '2020-02-04' as old`,
    [
      { content: 'Hello, you', pinned: false, old: true },
      { content: 'Second', pinned: true, old: false },
    ],
  ],
  [
    'interactions',
    'contact_external_id,type,sub_type,files\nE1,call,mobile,"[{""name"":""a.pdf"",""url"":""/a.pdf""},{""name"":""b"",""url"":""https://example.org/b"",""mime"":""text/plain""}]"\n',
    '{"contact_external_id":"E1","type":"call","sub_type":"mobile","files":[{"name":"a.pdf","url":"/a.pdf"},{"name":"b","url":"https://example.org/b","mime":"text/plain"}]}\n',
    `type, sub_type, only_super_admin as hidden, (select json_agg(array[f.name, f.url, f.mime] order by f.id) from files f where f.group_id = r.group_id and f.interaction_id = r.id) as files`,
    [
      {
        type: 'call',
        sub_type: 'mobile',
        hidden: false,
        files: [
          ['a.pdf', '/a.pdf', null],
          ['b', 'https://example.org/b', 'text/plain'],
        ],
      },
    ],
  ],
  [
    'transactions',
    'contact_mail,amount,currency,date,code_campaign,payment_method_kind,transaction_status\nbob@example.org,-250,USD,2024-05-06T10:00:00+02:00,C1,card,Paid\nbob@example.org,100,,2024-05-06,,,\n',
    '{"contact_mail":"bob@example.org","amount":-250,"currency":"USD","date":"2024-05-06T10:00:00+02:00","code_campaign":"C1","payment_method_kind":"card","transaction_status":"Paid"}\n{"contact_mail":"bob@example.org","amount":100,"date":"2024-05-06"}\n',
    `amount, currency, date, code_campaign as code, payment_method_kind as kind, (select s.name from transaction_statuses s where s.group_id = r.group_id and s.id = r.status_id) as status`,
    [
      { amount: -250, currency: 'USD', date: '2024-05-06 08:00:00+00', code: 'C1', kind: 'card', status: 'Paid' },
      { amount: 100, currency: 'EUR', date: '2024-05-06 00:00:00+00', code: null, kind: null, status: null },
    ],
  ],
  [
    'donations',
    'contact_mail,amount_decimal,currency,transaction_date,donation_price\nbob@example.org,"99,90",,2024-05-06,Monthly\nbob@example.org,-5,JPY,2024-05-06,\n',
    '{"contact_mail":"bob@example.org","amount":9990,"transaction_date":"2024-05-06T00:00:00Z","donation_price":"Monthly"}\n{"contact_mail":"bob@example.org","amount_decimal":-5,"currency":"JPY","transaction_date":"2024-05-06T00:00:00Z"}\n',
    `amount, currency, donation_price_id is not null as priced`,
    [
      { amount: 9990, currency: 'EUR', priced: true },
      { amount: -5, currency: 'JPY', priced: false },
    ],
  ],
  [
    'memberships',
    'contact_mail,amount,start_date,end_date,membership_price,membership_price_group\nbob@example.org,500,2024-01-01,2024-12-31,Yearly,Others\n',
    '{"contact_mail":"bob@example.org","amount":500,"start_date":"2024-01-01","end_date":"2024-12-31","membership_price":"Yearly","membership_price_group":"Others"}\n',
    `amount, start_date, end_date, (select g.name from membership_prices p join membership_price_groups g on g.group_id = p.group_id and g.id = p.membership_price_group_id where p.group_id = r.group_id and p.id = r.membership_price_id) as of`,
    [{ amount: 500, start_date: '2024-01-01', end_date: '2024-12-31', of: 'Others' }],
  ],
  [
    'sanctions',
    'contact_mail,status,start_date,end_date\nbob@example.org,warned,2024-01-01,\n',
    '{"contact_mail":"bob@example.org","status":"warned","start_date":"2024-01-01T00:00:00Z","end_date":null}\n',
    'status, start_date, end_date',
    [{ status: 'warned', start_date: '2024-01-01 00:00:00+00', end_date: null }],
  ],
  [
    'emails',
    'contact_mail,campaign,campaign_subject,type,clicked_urls,delivered_at,opened_at,clicked_at,created_at\nbob@example.org,Spring,Hi,campaign,"[""https://example.org/a""]",2024-05-06T10:00:00Z,2024-05-07T10:00:00Z,2024-05-07T10:00:00Z,2024-05-06T09:00:00Z\nada@example.org,Spring,,,,,,,2024-05-06\n',
    '{"contact_mail":"bob@example.org","campaign":"Spring","campaign_subject":"Hi","type":"campaign","clicked_urls":["https://example.org/a"],"delivered_at":"2024-05-06T10:00:00Z","opened_at":"2024-05-07T10:00:00Z","clicked_at":"2024-05-07T10:00:00Z","created_at":"2024-05-06T09:00:00Z"}\n{"contact_mail":"ada@example.org","campaign":"Spring","created_at":"2024-05-06T00:00:00Z"}\n',
    `(select k.subject from campaigns k where k.group_id = r.group_id and k.id = r.campaign_id) as subject, type, clicked_urls as urls, delivered_at, opened_at is not null as opened, created_at`,
    [
      {
        subject: 'Hi',
        type: 'campaign',
        urls: ['https://example.org/a'],
        delivered_at: '2024-05-06 10:00:00+00',
        opened: true,
        created_at: '2024-05-06 09:00:00+00',
      },
      {
        subject: 'Hi',
        type: null,
        urls: null,
        delivered_at: null,
        opened: false,
        created_at: '2024-05-06 00:00:00+00',
      },
    ],
  ],
];
