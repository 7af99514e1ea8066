/** Texts of the frame of the page, and those that several parts use. */
export const PAGE = {
  'Skip to content': 'Zum Inhalt springen',
  Console: 'Konsole',
  'isccd: content codes': 'isccd: Inhaltscodes',
  'isccd: similarity search': 'isccd: Ähnlichkeitssuche',
  'isccd: manifest store': 'isccd: Manifest-Speicher',
  'isccd: soft-binding resolver': 'isccd: Resolver für Soft Bindings',
  'This page loads nothing from other servers.': 'Diese Seite lädt nichts von anderen Servern.',
  'Drop it': 'Hier ablegen',

  Find: 'Suchen',
  Check: 'Prüfen',
  Index: 'Index',
  Compare: 'Vergleichen',
  Metadata: 'Metadaten',
  Store: 'Speicher',
  Network: 'Netzwerk',
  API: 'API',

  'Have you seen this before?': 'Schon einmal gesehen?',
  'Drop a picture, a text, a sound or a film anywhere on this page. Its code finds copies and look-alikes, who signed it, and what its rights are.':
    'Ein Bild, einen Text, einen Ton oder einen Film irgendwo auf dieser Seite ablegen. Der Code findet Kopien und Ähnliches, wer es signiert hat und welche Rechte gelten.',
  'Paste a code. It finds copies and look-alikes, and who signed them.':
    'Einen Code einfügen. Er findet Kopien und Ähnliches und wer sie signiert hat.',
  'Code, text, address or manifest': 'Code, Text, Adresse oder Manifest',
  Search: 'Suchen',
  'Choose files': 'Dateien auswählen',
  'Take a photo': 'Foto aufnehmen',
  Cancel: 'Abbrechen',
  Try: 'Beispiel:',
  'a picture': 'ein Bild',
  'a text': 'ein Text',
  'a code': 'ein Code',
  Options: 'Optionen',
  'Search in': 'Suchen in',
  'Maximum matches': 'Höchstzahl der Treffer',
  'API key': 'API-Schlüssel',
  '(if required)': '(falls nötig)',
  'Kept until this tab is closed.': 'Bleibt gespeichert, bis dieser Tab geschlossen wird.',
  Files: 'Dateien',
  'Simprints of text passages': 'Simprints von Textpassagen',
  'Semantic unit, if the server has a model': 'Semantische Unit, wenn der Server ein Modell hat',
  'Find matches': 'Treffer suchen',
  'Find manifests and rights': 'Manifeste und Rechte suchen',
  'Pictures, texts and documents are coded in this page: only their codes are sent. For other files the page asks first.':
    'Bilder, Texte und Dokumente werden in dieser Seite codiert: Nur ihre Codes werden gesendet. Bei anderen Dateien fragt die Seite vorher.',
  'Files are uploaded to this server and deleted when they expire.':
    'Dateien werden auf diesen Server hochgeladen und gelöscht, wenn sie ablaufen.',
  'The tab': 'Der Tab',
  'asks before it sends a file, and keeps nothing.': 'fragt, bevor er eine Datei sendet, und behält nichts.',
  Results: 'Ergebnisse',
  Result: 'Ergebnis',
  'Send the files to this server': 'Die Dateien an diesen Server senden',
  'Export as CSV': 'Als CSV exportieren',

  'Check a file': 'Eine Datei prüfen',
  'This server checks no files: the codes service does not run in its process, and':
    'Dieser Server prüft keine Dateien: Der Codes-Dienst läuft nicht in seinem Prozess, und',
  'is off.': 'ist ausgeschaltet.',
  'Finds the content credentials of a file: those that it contains, and those of the same or similar content. The file stays on your device until you choose':
    'Findet die Content Credentials einer Datei: die in der Datei und die von gleichem oder ähnlichem Inhalt. Die Datei bleibt auf diesem Gerät bis zum Knopf',
  'Send and check': 'Senden und prüfen',
  '. Then this server computes its ISCC-CODE, looks for matching manifests and keeps nothing.':
    '. Dann berechnet dieser Server ihren ISCC-CODE, sucht passende Manifeste und behält nichts.',

  'Every service describes its routes, and tries them in its documentation.':
    'Jeder Dienst beschreibt seine Routen; in der Dokumentation lassen sie sich ausprobieren.',
  Services: 'Dienste',
  'Documentation of': 'Dokumentation von',
  'OpenAPI of': 'OpenAPI von',
  'Requests of this page': 'Anfragen dieser Seite',
  'What this page asked for, newest first. An API key is written as':
    'Was diese Seite abgefragt hat, das Neueste zuerst. Ein API-Schlüssel steht als',
  ', a file by its name.': ', eine Datei mit ihrem Namen.',

  Copy: 'Kopieren',
  'Copy {0}': '{0} kopieren',
  'Copy as curl': 'Als curl kopieren',
  'Copy as curl {0}': 'Als curl kopieren: {0}',
  Copied: 'Kopiert',
  'Copied {0}': '{0} kopiert',
  Failed: 'Fehlgeschlagen',
  'Failed {0}': 'Fehlgeschlagen: {0}',
  'The browser did not allow copying {0}': 'Der Browser hat das Kopieren nicht erlaubt: {0}',
  'bit is 1': 'Bit ist 1',
  'bit is 0': 'Bit ist 0',
  'bits differ': 'Bits verschieden',
  '{0} byte': '{0} Byte',
  '{0} bytes': '{0} Byte',
  '{0}: failed': '{0}: fehlgeschlagen',
  '{0} of {1}': '{0} zu {1}',
  'Looking…': 'Wird gesucht …',
  'Share of your file beside {0}, in per cent': 'Anteil der eigenen Datei neben „{0}“ in Prozent',
  'Compare with a slider': 'Mit einem Regler vergleichen',
  'Your file': 'Eigene Datei',

  'The connection to the server was lost. Please try again.':
    'Die Verbindung zum Server ist abgebrochen. Bitte erneut versuchen.',
  'The server is unreachable. Please try again.': 'Der Server ist nicht erreichbar. Bitte erneut versuchen.',
  'Cancelled.': 'Abgebrochen.',
  'The server or a proxy in front of it refuses the request (status {0}).':
    'Der Server oder ein Proxy davor lehnt die Anfrage ab (Status {0}).',
  'The upload is too large for the server or a proxy in front of it (status {0}).':
    'Die Datei ist zu groß für den Server oder einen Proxy davor (Status {0}).',
  'The server is unreachable (status {0}). Please try again.':
    'Der Server ist nicht erreichbar (Status {0}). Bitte erneut versuchen.',
  'The server responded with status {0}.': 'Der Server hat mit Status {0} geantwortet.',
  '{0} needs https, or a server on this machine.': '{0} braucht https oder einen Server auf diesem Rechner.',
  Adding: 'Das Hinzufügen',
  Evidence: 'Ein Nachweis',
} as const;
