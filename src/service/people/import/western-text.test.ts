import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encoder } from './encoded.fixture.ts';
import { foreignWords } from './western-text.ts';

const listOf = (text: string) => text.trim().split(/\s*[|\n]\s*/);
/** What is found in these names if their file is read as Windows-1252. */
function found(encoding: string, names: readonly string[]): string[] {
  const bytes = encoder(encoding)(names.join(';'));
  return foreignWords(new TextDecoder('windows-1252').decode(bytes));
}

const western: Record<string, string> = {
  German: `Müller|Schäfer|Schröder|Krüger|Böhm|Köhler|König|Günther|Jäger|Weiß|Groß|Strauß|Vogt|Preuß|Löffler|Hänsel|Kühn|Öttinger
    Jürgen|Jörg|Björn|Käthe|Bärbel|Sören|Götz|Thürmer|Ärztehaus Köln|Übersee-Spedition|Größe|Fußpflege|Straße|HÄUSER|MÜLLER
    Bäckerei „Zur Mühle“|Müller–Meier|Büro – Haus 7|Öl & Gas|Geschäfts– und Büroräume|Café Schön|Maître|5 €|20€Gutschein|§ 5
    Gießerei®|©2024 Müller|Groß²|Ø 12 mm|Mo–Fr|Größe½|ÄÖÜ|äöüß|Güçlü|Küçük|Özçelik|Gençtürk|Tunçbilek|Çelik|Öztürk
    O‘Neill|´s-Hertogenbosch|´immer´|†Meier|Âgé|Šimek|Žižka|Škoda|Dušan|Miloš|Aleš|Višnja|Novák`,
  French: `Léa|Chloé|Inès|Zoé|Jérôme|François|Françoise|Benoît|Loïc|Gaël|Maëlys|Noël|Noèl|Hélène|Célestin|Stéphane|Cédric|Théo|Océane
    Anaïs|Héloïse|Zélie|Gaëtan|Joël|Raphaël|Raphaèle|Michaël|Lefèvre|Lemaître|Gérard|Hervé|Desprès|Grégoire|Châtelain|Prévost|Guérin
    Rivière|Barrère|Mercœur|Sœur|Cœur|Œuvre|L’Haÿ|Aÿ-Champagne|Croÿ|Louÿs|Nîmes|Angoulême|Sète|Évreux|Île|Saint-Étienne|Août|Goût
    Brûlé|Mûriers|Dûment|Coûteux|Croûte|Voûte|Bûcheron|Sûreté|Fûtaie|Le Rû|Poème|Poète|Suède|Guèze|Ève|Èze|Où|À|«Créée»|N°7|N° 7
    Gonçalves|Provençal|Garçon|Façade|L’ÉTÉ|CRÉDIT|BŒUF|Ça|Noé|Élodie|Éloïse|Clémence|Aurèle|Agnès|Bénédicte|Fañch|Müller`,
  Spanish: `José|María|Ángel|Jesús|Ramón|Iñigo|Iñaki|Íñigo|Begoña|Núñez|Muñoz|Peña|Ibáñez|Yáñez|Ordóñez|García|Martínez|Hernández|López
    González|Pérez|Sánchez|Ramírez|Gómez|Jiménez|Díaz|Álvarez|Gutiérrez|Sáez|Sanz|Saá|Aarón|Isaác|Sebastián|Julián|Adrián|Damián|Raúl
    Mª José|M.ª Ángeles|MªCarmen|Mª del Mar|1º Izq.|2ªPlanta|3ºB|Nº 5|¿Qué tal?|¡Hola!|Güemes|Agüero|Pingüino|Argüelles|Panamá|Bogotá
    Alcalá|Paraná|Cuéntame|Diámetro|Órgano|Óscar|Úrsula|Gal·la|Núria|Mònica|Òscar|Antònia|Àngels|Mercè|Ferraç|Llorenç|Vicenç
    València|Ciència|Josèp|Agnès|Lluïsa|Muñiz y Cía.|NÚÑEZ|ESPAÑA|Niño`,
  Italian: `Nicolò|Niccolò|Forlì|Gesù|Cefalù|Virtù|Caffè|Noè|Mosè|Cioè|Perchè|Perché|Città|Società|Libertà|Università|Lunedì|Però|Più
    D’Angelo|Dell’Orto|Salò|È|Maggiò|Canicattì|Piè di Monte|Bignè|Tè`,
  Portuguese: `João|Simões|Guimarães|Conceição|Gonçalves|Leões|Camões|Irmãos|Irmã|Manhãs|Mãe|Fernão|Magalhães|Antônio|António|Luís|Inês
    Mendonça|Bragança|Assunção|Araújo|Falcão|Leitão|Brandão|Galvão|Simão|Sebastião|Damião|São José|Lourenço|Gouvêa|Côrte-Real|Põe
    Irmãzinha|IRMÃOS SÃO JOSÉ|LEÕES|Júnior|Valério|Brás|Tomás|Estevão|Paraguaçu|Macapá|Ceará|Piauí|Maringá|Avô|Avó|Vovô|N.º 5`,
  Dutch: `Daniël|Zoë|Noël|Renée|Anaïs|Jurriën|Héloïse|Michaël|België|Italië|Patiëntenzorg|Coöperatie|Reünie|Café|Crèche|Priëlle
    Van ’t Hoff|’s-Gravenhage|Beëdigd|Geïnteresseerd|Sjoërd|Loïs|André|Josée|Thérèse|Weërt|Brontë`,
  Danish: `Søren|Jørgen|Bjørn|Kjær|Åse|Sørensen|Jørgensen|Mørk|Nørgaard|Østergård|Ødegaard|Lærke|Bæk|Næss|Præst|Ægir|Samsø|Fanø|Malmø
    Møller|Håkon|Åge|Bjørnæs|ØSTERGÅRD|KJÆR|Højgaard|Skærbæk|Tværmosegård|Ærø|Rømø|Læsø`,
  Swedish: `Åsa|Björn|Göran|Håkan|Sjöström|Öberg|Åberg|Lindström|Söderström|Ekström|Ängström|Nyström|Hägg|Sjögren|Östlund|Åkesson|ÅÄÖ
    Linnéa|André|Norén|Lidén|Hallén|Idéh|Wallén|Malmö|Västerås|Örebro|MÅRTENSSON|”Kök & Bad”`,
  Norwegian: `Bjørn|Øystein|Ødegård|Håkon|Åse|Sørlie|Bjørnstad|Kjær|Næss|Tromsø|Bodø|Ålesund|Grønn|André|Sætre|Bøe|Røed|Strømmen|Måløy`,
  Finnish: `Virtanen|Mäkinen|Nieminen|Mäkelä|Hämäläinen|Heikkilä|Järvinen|Lehtimäki|Räsänen|Hyvönen|Öhman|Åström|Jyväskylä|Töölö|Päivi
    Väinö|Hänninen|Äijälä|Yrjö|SEINÄJOKI`,
  Icelandic: `Guðmundur|Sigurður|Guðrún|Þór|Þorsteinn|Þórdís|Þórður|Þuríður|Þráinn|Þröstur|Þorgeir|Sæþór|Steinþór|Hafþór|Eyþór|Friðþjófur
    Arnþrúður|Ragnheiður|Friðrik|Garðar|Daði|Eðvarð|Bryndís|Ýmir|Ýr|Dýrfjörð|Hlýn|Signý|Fanný|Sólný|Arný|Hallný|Lýður|Týr|Sigríð|Njörður
    Björg|Ægir|Æsa|Össur|Ísleifur|Ástþór|Úlfar|Jóhannsdóttir|Þjónusta|Þing|Þórhildur|Bergþóra|Auður|Unnur|Heiða|Ásgeir|Hjördís|Sveinbjörn
    Goðafoss|Suðurgata|Guðbjörg|Aðalsteinn|Baðhús|Kristján|Stefán|Björgvin|Ólöf|Sólveig|Rögnvaldur|Þyrí|GUÐRÚN ÞÓRÐARDÓTTIR|Alþingi`,
  Apostrophes: `aujourd’hui|quelqu’un|C’hoarau|O’Hara|Ma’am|Sant’Anna|Marc’s|l’a|d’An|Dell’Aquila|Ka’apana|entr’acte|•`,
  Irish: `Seán|Ó Súilleabháin|Máirín|Siobhán|Bríd|Gráinne|Niamh Ní Bhriain|Éamon|Caoimhín`,
  Vietnamese: `Hùng|Dùng|Bình|Hòa|Võ|Lê|Hoàng|Trân`,
};
for (const [language, names] of Object.entries(western))
  test(`names of Windows-1252: ${language}`, () =>
    assert.deepEqual(found('windows-1252', listOf(names)), []));

/** Names that would be other names in Windows-1252: each by itself. */
const damaged: readonly [encoding: string, names: string][] = [
  [
    'windows-1250',
    `Szőke|Szűcs|Hegedűs|Erdős|Jenő|Ernő|Győző|Dezső|Bődi|Fűzesi|Fűrész|SZŐKE|HEGEDŰS|Kőműves|Gergő|Vörösmarty Győr Fő utca`,
  ],
  [
    'windows-1250',
    `Şerban|Lazăr|Bălan|Păun|Stănescu|Mureşan|Crăciun|Ţăranu|Constanţa|Ştefan|Mădălina|Rădulescu|Niţă|Dragoş|LAZĂR`,
  ],
  [
    'windows-1250',
    `Kovač|Kovačić|Zupančič|Hočevar|Potočnik|Božič|Kramarič|Kavčič|Babić|Petrović|Đurić|Čosić|Černe|Močnik|Vučković|KOVAČ`,
  ],
  [
    'windows-1250',
    `Wiśniewski|Wójcik Paweł|Łukasz|Wałęsa|Kamiński|Zieliński|Dąbrowski|Michał|Grażyna Żak|Śliwa`,
  ],
  ['windows-1250', `Kučera|Černý|Dvořák|Němec|Růžička|Zdeněk|Jiří|Řeháček|Věra|Vondrůška|Vaňková|Ďurica`],
  ['iso-8859-2', `Škoda|Tomáš|Łukasz|Wiśniewski|Szőke|Hegedűs|Kovač|Šimek|Żak`],
  [
    'windows-1257',
    `Žukauskas|Šimkus|Stankevičius|Kazlauskienė|Žemaitis|Rūta|Jūratė|Ražanskas|Adomaitė|ŽUKAUSKAS`,
  ],
  ['windows-1257', `Bērziņš|Kalniņš|Ozoliņš|Pēteris|Jēkabsons|Liepiņš|Krūmiņš|Jānis Bērzs|Ģirts|Ēriks`],
  ['windows-1254', `Yılmaz|Ayşe|Şahin|Güneş|Yıldız|Aydın|İbrahim|İsmail|Balcı|Işık|Kılıç|Şengül|Şule|ŞAHİN`],
  [
    'cp850',
    `Weiß|Strauß|Groß|Preuß|Kreße|Müller|Schröder|Jäger|Özil|Ärzte|Übler|André|José|Chloé|Zoé|René|Dupré|François|Noël|Hélène|Benoît
    Étienne|Muñoz|García|López|Søren|Håkan|João|Rømø`,
  ],
  [
    'macintosh',
    `Müller|Köhler|König|Möller|Göttingen|Jörg|Straße|Weiß|René|François|Hélène|Muñoz|Peña|López`,
  ],
  ['windows-1254', `Doğan|Erdoğan|Özdoğan|Uğur|Tuğba|Ağca|Ağaoğlu|Dağ|Dağlı`],
  ['macintosh', `Noël|Zoë|Chloë|Raphaël|Joël|Citroën|Höß|Übersee|Ärztehaus`],
  [
    'macintosh',
    `García|María|Sofía|Martínez|Rodríguez|Niccolò|Daniëlle|Gabriëlle|Ó Briain|Kraków|Tarnów|Górski|Wójcik`,
  ],
  ['cp850', `Niccolò|Salò`],
  ['iso-8859-15', `Žák|Žižka|5 € GmbH|Šimek`],
  ['iso-8859-2', `Šťastný|Žďár`],
  ['windows-1257', `Ādams|Bērza|Ēriks`],
  ['cp850', `Ünal|Übersee|Ähre|Äpfel`],
];
for (const [encoding, names] of damaged)
  test(`names of ${encoding} that Windows-1252 would damage: ${names.slice(0, 30)}`, () => {
    for (const name of listOf(names)) assert.notDeepEqual(found(encoding, ['Anna Weber', name]), [], name);
  });

test('words without letters of Windows-1252', () => {
  // Иванов of DOS, 鈴木 in Shift-JIS, Müller of HP.
  for (const text of ['ˆ¢ \u00ad®¢', '—é–Ø', 'MÏller']) assert.notDeepEqual(foreignWords(text), [], text);
});

test('the words are named, each once, and the first of many', () => {
  assert.deepEqual(foreignWords('Szõke;Kovács;Szõke;Hegedûs'), ['Szõke', 'Hegedûs']);
  assert.equal(foreignWords('Szõk;Erdõs;Jenõ;Ernõ;Gyõzõ;Dezsõ;Bõdi').length, 5);
});

test('what is longer than any word is not looked at', () => {
  assert.deepEqual([foreignWords('Stra§e'), foreignWords('Stra§e'.repeat(20))], [['Stra§e'], []]);
});
