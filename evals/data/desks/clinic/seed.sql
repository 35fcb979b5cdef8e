-- Millpond Veterinary Practice: vets, patients, vaccinations, weights, notes, appointments. Today is 2026-09-16.
CREATE TABLE vets (id TEXT PRIMARY KEY, name TEXT NOT NULL, focus TEXT NOT NULL);
INSERT INTO vets VALUES
 ('VET-01', 'Ingrid Brandt',   'surgery'),
 ('VET-02', 'Samuel Okafor',   'dogs and cats, dentistry'),
 ('VET-03', 'Anna Reid',       'dogs and cats'),
 ('VET-04', 'Tom Reid',        'rabbits and rodents'),
 ('VET-05', 'Femke de Vries',  'birds and reptiles');

CREATE TABLE patients (
  id TEXT PRIMARY KEY, name TEXT NOT NULL, species TEXT NOT NULL, breed TEXT NOT NULL, sex TEXT NOT NULL, born TEXT NOT NULL,
  owner TEXT NOT NULL, phone TEXT NOT NULL, vet_id TEXT NOT NULL REFERENCES vets(id), allergies TEXT NOT NULL DEFAULT '');
INSERT INTO patients VALUES
 ('PT-0023', 'Rex',     'dog',     'German shepherd',   'male',   '2017-04-02', 'Petra Kowalski',   '555-0140', 'VET-02', ''),
 ('PT-0024', 'Minka',   'cat',     'domestic shorthair','female', '2019-08-11', 'Petra Kowalski',   '555-0140', 'VET-02', ''),
 ('PT-0025', 'Pip',     'rodent',  'guinea pig',        'male',   '2024-01-20', 'Petra Kowalski',   '555-0140', 'VET-04', ''),
 ('PT-0087', 'Bella',   'dog',     'labrador',          'female', '2018-05-30', 'Joerg Hartmann',   '555-0112', 'VET-01', 'chicken'),
 ('PT-0112', 'Bella',   'cat',     'ragdoll',           'female', '2021-03-14', 'Irena Novak',      '555-0177', 'VET-03', 'penicillin'),
 ('PT-0131', 'Oscar',   'cat',     'Maine coon',        'male',   '2014-10-01', 'Joan Whitfield',   '555-0123', 'VET-01', ''),
 ('PT-0140', 'Luna',    'dog',     'border collie',     'female', '2023-06-18', 'Andrei Petrescu',  '555-0165', 'VET-03', ''),
 ('PT-0141', 'Luna',    'cat',     'domestic shorthair','female', '2024-09-02', 'Grace Okonkwo',    '555-0158', 'VET-04', ''),
 ('PT-0152', 'Hazel',   'rabbit',  'dwarf lop',         'female', '2022-02-25', 'Maja Lindgren',    '555-0191', 'VET-04', ''),
 ('PT-0160', 'Thumper', 'rabbit',  'Flemish giant',     'male',   '2020-07-07', 'Klaus Bauer',      '555-0135', 'VET-04', ''),
 ('PT-0163', 'Rio',     'bird',    'grey parrot',       'male',   '2011-01-01', 'Dino Castellano',  '555-0186', 'VET-05', ''),
 ('PT-0171', 'Shelly',  'reptile', 'Greek tortoise',    'female', '1998-01-01', 'Adam Ferris',      '555-0149', 'VET-05', ''),
 ('PT-0178', 'Max',     'dog',     'boxer',             'male',   '2019-12-05', 'Nina Delacroix',   '555-0102', 'VET-01', ''),
 ('PT-0185', 'Max',     'dog',     'dachshund',         'male',   '2016-09-21', 'Bjorn Olsen',      '555-0118', 'VET-02', 'latex'),
 ('PT-0190', 'Tiger',   'cat',     'Bengal',            'male',   '2020-04-19', 'Deniz Yilmaz',     '555-0129', 'VET-03', ''),
 ('PT-0197', 'Cookie',  'dog',     'cocker spaniel',    'female', '2022-11-30', 'Deniz Yilmaz',     '555-0129', 'VET-03', ''),
 ('PT-0203', 'Biscuit', 'rodent',  'golden hamster',    'male',   '2025-02-14', 'Sean Murphy',      '555-0194', 'VET-04', ''),
 ('PT-0210', 'Gizmo',   'dog',     'pug',               'male',   '2020-10-10', 'Linh Tran',        '555-0133', 'VET-02', ''),
 ('PT-0214', 'Socks',   'cat',     'tuxedo',            'male',   '2015-06-06', 'Ruth Pemberton',   '555-0171', 'VET-01', ''),
 ('PT-0221', 'Bruno',   'dog',     'Bernese',           'male',   '2021-01-17', 'Kari Aalto',       '555-0106', 'VET-02', ''),
 ('PT-0226', 'Nala',    'cat',     'Siamese',           'female', '2022-08-08', 'Ute Fischer',      '555-0155', 'VET-03', ''),
 ('PT-0230', 'Pepper',  'dog',     'Scottish terrier',  'female', '2023-03-03', 'Isla MacLeod',     '555-0144', 'VET-01', ''),
 ('PT-0233', 'Ziggy',   'reptile', 'bearded dragon',    'male',   '2023-05-05', 'Paolo Rossi',      '555-0161', 'VET-05', '');

CREATE TABLE vaccinations (patient_id TEXT NOT NULL REFERENCES patients(id), vaccine TEXT NOT NULL, given_on TEXT NOT NULL, due_on TEXT NOT NULL);
INSERT INTO vaccinations VALUES
 ('PT-0023', 'rabies',        '2023-11-10', '2026-11-10'), ('PT-0023', 'leptospirosis', '2025-08-20', '2026-08-20'),
 ('PT-0024', 'cat_flu',       '2025-09-18', '2026-09-18'), ('PT-0024', 'rabies',        '2023-10-02', '2026-10-02'),
 ('PT-0087', 'distemper',     '2023-10-21', '2026-10-21'), ('PT-0087', 'rabies',        '2023-07-15', '2026-07-15'),
 ('PT-0112', 'cat_flu',       '2025-10-09', '2026-10-09'), ('PT-0131', 'rabies',        '2023-09-28', '2026-09-28'),
 ('PT-0140', 'distemper',     '2023-12-12', '2026-12-12'), ('PT-0141', 'cat_flu',       '2025-09-20', '2026-09-20'),
 ('PT-0152', 'myxomatosis',   '2026-09-14', '2027-09-14'), ('PT-0160', 'myxomatosis',   '2025-10-01', '2026-10-01'),
 ('PT-0178', 'leptospirosis', '2025-10-15', '2026-10-15'), ('PT-0185', 'rabies',        '2023-09-05', '2026-09-05'),
 ('PT-0190', 'cat_flu',       '2025-07-01', '2026-07-01'), ('PT-0197', 'distemper',     '2023-10-05', '2026-10-05'),
 ('PT-0210', 'leptospirosis', '2025-11-24', '2026-11-24'), ('PT-0214', 'cat_flu',       '2025-12-03', '2026-12-03'),
 ('PT-0221', 'leptospirosis', '2025-09-17', '2026-09-17'), ('PT-0221', 'distemper',     '2024-01-30', '2027-01-30'),
 ('PT-0226', 'cat_flu',       '2026-09-15', '2027-09-15'), ('PT-0230', 'distemper',     '2023-09-22', '2026-09-22');

CREATE TABLE weights (patient_id TEXT NOT NULL REFERENCES patients(id), day TEXT NOT NULL, kg REAL NOT NULL);
INSERT INTO weights VALUES
 ('PT-0023', '2026-08-26', 36.4), ('PT-0024', '2026-03-19', 4.6), ('PT-0025', '2026-05-12', 0.98), ('PT-0087', '2026-02-11', 31.2),
 ('PT-0087', '2026-07-08', 33.0), ('PT-0112', '2026-06-30', 5.1), ('PT-0131', '2026-04-14', 7.4), ('PT-0131', '2026-09-07', 6.8),
 ('PT-0140', '2026-09-09', 17.9), ('PT-0141', '2026-03-02', 3.7), ('PT-0152', '2026-09-14', 1.9), ('PT-0160', '2026-06-22', 6.3),
 ('PT-0163', '2026-09-08', 0.46), ('PT-0171', '2026-05-27', 2.1), ('PT-0178', '2026-07-20', 30.5), ('PT-0185', '2026-09-10', 9.8),
 ('PT-0190', '2026-08-04', 5.9), ('PT-0197', '2026-09-14', 12.7), ('PT-0203', '2026-06-10', 0.12), ('PT-0210', '2026-09-15', 9.1),
 ('PT-0214', '2026-05-05', 5.5), ('PT-0221', '2026-01-29', 44.8), ('PT-0226', '2026-09-15', 4.0), ('PT-0230', '2026-04-08', 9.4),
 ('PT-0233', '2026-08-19', 0.41);

CREATE TABLE notes (patient_id TEXT NOT NULL REFERENCES patients(id), day TEXT NOT NULL, kind TEXT NOT NULL, text TEXT NOT NULL);
INSERT INTO notes VALUES
 ('PT-0023', '2026-08-26', 'medication', 'meloxicam 1.5 mg/ml, once a day with food'),
 ('PT-0087', '2026-07-08', 'finding',    'overweight, lump on left flank, surgery planned'),
 ('PT-0112', '2026-06-30', 'behaviour',  'scratches, two people needed'),
 ('PT-0131', '2026-09-07', 'medication', 'methimazole 2.5 mg, twice a day'),
 ('PT-0140', '2026-09-09', 'finding',    'spayed, stitches to come out after 8 days'),
 ('PT-0163', '2026-09-08', 'finding',    'plucks feathers, home visit agreed'),
 ('PT-0185', '2026-09-10', 'finding',    'two molars removed, soft food for a week'),
 ('PT-0197', '2026-09-14', 'medication', 'ear drops, twice a day until surgery'),
 ('PT-0210', '2026-09-15', 'finding',    'bad breath, dental cleaning advised'),
 ('PT-0221', '2026-01-29', 'behaviour',  'afraid of the scales'),
 ('PT-0233', '2026-08-19', 'medication', 'calcium powder on every second meal');

CREATE TABLE appointments (
  id TEXT PRIMARY KEY, day TEXT NOT NULL, time TEXT NOT NULL, minutes INTEGER NOT NULL, patient_id TEXT NOT NULL REFERENCES patients(id),
  vet_id TEXT NOT NULL REFERENCES vets(id), kind TEXT NOT NULL, home_visit INTEGER NOT NULL DEFAULT 0);
INSERT INTO appointments VALUES
 ('AP-3301', '2026-09-07', '09:00', 30, 'PT-0131', 'VET-01', 'consultation', 0),
 ('AP-3302', '2026-09-08', '10:30', 30, 'PT-0163', 'VET-05', 'consultation', 0),
 ('AP-3303', '2026-09-09', '14:00', 90, 'PT-0140', 'VET-03', 'surgery',      0),
 ('AP-3304', '2026-09-10', '11:00', 60, 'PT-0185', 'VET-02', 'dental',       0),
 ('AP-3305', '2026-09-14', '08:30', 30, 'PT-0197', 'VET-03', 'consultation', 0),
 ('AP-3306', '2026-09-14', '15:00', 30, 'PT-0152', 'VET-04', 'vaccination',  0),
 ('AP-3307', '2026-09-15', '09:30', 30, 'PT-0210', 'VET-02', 'consultation', 0),
 ('AP-3308', '2026-09-15', '16:30', 30, 'PT-0226', 'VET-03', 'vaccination',  0),
 ('AP-3309', '2026-09-16', '09:00', 30, 'PT-0230', 'VET-01', 'consultation', 0),
 ('AP-3310', '2026-09-16', '10:00', 30, 'PT-0023', 'VET-02', 'follow_up',    0),
 ('AP-3311', '2026-09-16', '11:30', 60, 'PT-0160', 'VET-04', 'dental',       0),
 ('AP-3312', '2026-09-16', '15:00', 30, 'PT-0087', 'VET-01', 'consultation', 0),
 ('AP-3313', '2026-09-16', '16:30', 30, 'PT-0190', 'VET-03', 'consultation', 0),
 ('AP-3314', '2026-09-17', '09:00', 60, 'PT-0214', 'VET-01', 'dental',       0),
 ('AP-3315', '2026-09-17', '10:30', 30, 'PT-0140', 'VET-03', 'follow_up',    0),
 ('AP-3316', '2026-09-17', '14:30', 30, 'PT-0171', 'VET-05', 'consultation', 0),
 ('AP-3317', '2026-09-17', '17:00', 30, 'PT-0221', 'VET-02', 'vaccination',  0),
 ('AP-3318', '2026-09-18', '09:30', 90, 'PT-0178', 'VET-01', 'surgery',      0),
 ('AP-3319', '2026-09-18', '10:00', 30, 'PT-0024', 'VET-02', 'vaccination',  0),
 ('AP-3320', '2026-09-18', '11:00', 30, 'PT-0203', 'VET-04', 'consultation', 0),
 ('AP-3321', '2026-09-18', '14:00', 30, 'PT-0112', 'VET-03', 'consultation', 1),
 ('AP-3322', '2026-09-18', '16:00', 30, 'PT-0185', 'VET-02', 'follow_up',    0),
 ('AP-3323', '2026-09-19', '09:30', 30, 'PT-0233', 'VET-05', 'consultation', 0),
 ('AP-3324', '2026-09-19', '11:00', 30, 'PT-0131', 'VET-01', 'follow_up',    0),
 ('AP-3325', '2026-09-21', '08:30', 30, 'PT-0141', 'VET-04', 'vaccination',  0),
 ('AP-3326', '2026-09-21', '14:00', 60, 'PT-0210', 'VET-02', 'dental',       0),
 ('AP-3327', '2026-09-22', '14:00', 90, 'PT-0197', 'VET-03', 'surgery',      0),
 ('AP-3328', '2026-09-22', '15:30', 30, 'PT-0152', 'VET-04', 'consultation', 0),
 ('AP-3329', '2026-09-23', '09:00', 30, 'PT-0163', 'VET-05', 'consultation', 1),
 ('AP-3330', '2026-09-23', '11:30', 30, 'PT-0025', 'VET-04', 'consultation', 0),
 ('AP-3331', '2026-09-24', '14:30', 30, 'PT-0190', 'VET-03', 'follow_up',    0),
 ('AP-3332', '2026-09-25', '09:00', 90, 'PT-0087', 'VET-01', 'surgery',      0),
 ('AP-3333', '2026-09-25', '16:00', 30, 'PT-0230', 'VET-01', 'follow_up',    0),
 ('AP-3334', '2026-09-28', '10:00', 60, 'PT-0226', 'VET-03', 'dental',       0),
 ('AP-3335', '2026-09-29', '15:00', 90, 'PT-0023', 'VET-02', 'surgery',      0),
 ('AP-3336', '2026-10-01', '11:00', 30, 'PT-0160', 'VET-04', 'vaccination',  0),
 ('AP-3337', '2026-10-06', '09:30', 30, 'PT-0087', 'VET-01', 'follow_up',    0),
 ('AP-3338', '2026-10-08', '14:00', 30, 'PT-0171', 'VET-05', 'follow_up',    0);
