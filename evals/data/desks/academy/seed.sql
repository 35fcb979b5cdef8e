-- Brackwater Engineering, training office: staff, courses, sessions, enrolments, certificates. Today is 2026-04-27.
CREATE TABLE employees (id TEXT PRIMARY KEY, name TEXT NOT NULL, job TEXT NOT NULL);
INSERT INTO employees VALUES
 ('E-1001', 'Ingrid Solheim',  'head of engineering'),
 ('E-1002', 'Marcus Oyelaran', 'team lead piping'),
 ('E-1003', 'Lena Brandt',     'welder'),
 ('E-1004', 'Jonas Weber',     'electrician'),
 ('E-1005', 'Karin Weber',     'planner'),
 ('E-1006', 'Omar Farouk',     'fitter'),
 ('E-1007', 'Marta Kowalska',  'forklift driver'),
 ('E-1008', 'Marta Lindgren',  'design engineer'),
 ('E-1009', 'Dariusz Nowak',   'crane operator'),
 ('E-1010', 'Priya Nair',      'project engineer'),
 ('E-1011', 'Tobias Engel',    'apprentice'),
 ('E-1012', 'Chloe Mercier',   'team lead electrical'),
 ('E-1013', 'Sam Whitfield',   'commissioning engineer'),
 ('E-1014', 'Beatriz Campos',  'design engineer'),
 ('E-1015', 'Henrik Aalto',    'welder'),
 ('E-1016', 'Yusuf Demir',     'electrician'),
 ('E-1017', 'Pavel Horak',     'rigger');

CREATE TABLE courses (
  code TEXT PRIMARY KEY, title TEXT NOT NULL, topic TEXT NOT NULL, level TEXT NOT NULL, format TEXT NOT NULL,
  language TEXT NOT NULL, price REAL NOT NULL, valid_years INTEGER);
INSERT INTO courses VALUES
 ('C-101', 'First Aid at Work',             'first_aid',  'basic',        'classroom', 'en', 180,  2),
 ('C-102', 'First Aid Refresher',           'first_aid',  'refresher',    'classroom', 'en', 120,  2),
 ('C-103', 'Erste Hilfe Auffrischung',      'first_aid',  'refresher',    'blended',   'de', 95,   2),
 ('C-108', 'MIG Welding Basics',            'welding',    'basic',        'on_site',   'en', 640,  3),
 ('C-109', 'TIG Welding',                   'welding',    'advanced',     'on_site',   'en', 980,  3),
 ('C-110', 'Schweissaufsicht',              'welding',    'intermediate', 'blended',   'de', 1150, 3),
 ('C-114', 'Electrical Safety Low Voltage', 'electrical', 'basic',        'classroom', 'en', 320,  1),
 ('C-115', 'High Voltage Switching',        'electrical', 'advanced',     'classroom', 'en', 1240, 2),
 ('C-116', 'Elektrounterweisung',           'electrical', 'refresher',    'online',    'de', 75,   1),
 ('C-120', 'Forklift Licence',              'lifting',    'basic',        'on_site',   'en', 410,  5),
 ('C-121', 'Crane and Slinging',            'lifting',    'intermediate', 'on_site',   'en', 560,  5),
 ('C-122', 'Wozki widlowe',                 'lifting',    'refresher',    'blended',   'pl', 150,  5),
 ('C-130', '3D Modelling Starter',          'cad',        'basic',        'online',    'en', 240,  NULL),
 ('C-131', 'Parametric Design',             'cad',        'advanced',     'online',    'en', 520,  NULL),
 ('C-132', 'Diseno asistido',               'cad',        'intermediate', 'online',    'es', 300,  NULL),
 ('C-140', 'New Team Leads',                'leadership', 'basic',        'blended',   'en', 450,  NULL),
 ('C-141', 'Difficult Conversations',       'leadership', 'intermediate', 'classroom', 'en', 390,  NULL),
 ('C-142', 'Fuehrung im Projekt',           'leadership', 'advanced',     'classroom', 'de', 890,  NULL);

CREATE TABLE sessions (
  id TEXT PRIMARY KEY, course TEXT NOT NULL REFERENCES courses(code), start_date TEXT NOT NULL, end_date TEXT NOT NULL,
  starts_at TEXT NOT NULL, trainer TEXT NOT NULL, seats INTEGER NOT NULL);
INSERT INTO sessions VALUES
 ('S-2281', 'C-114', '2026-03-16', '2026-03-16', '08:30', 'Gus Halloran',  10),
 ('S-2285', 'C-101', '2026-04-28', '2026-04-28', '08:30', 'Ruth Adeyemi',  12),
 ('S-2286', 'C-130', '2026-04-29', '2026-04-29', '10:00', 'Nils Ekberg',   15),
 ('S-2287', 'C-141', '2026-04-30', '2026-04-30', '13:00', 'Ana Beltran',    8),
 ('S-2288', 'C-102', '2026-05-05', '2026-05-05', '09:00', 'Ruth Adeyemi',  12),
 ('S-2289', 'C-120', '2026-05-06', '2026-05-07', '07:30', 'Piotr Zych',     3),
 ('S-2290', 'C-130', '2026-05-11', '2026-05-11', '13:30', 'Nils Ekberg',   15),
 ('S-2291', 'C-114', '2026-05-12', '2026-05-12', '08:30', 'Gus Halloran',  10),
 ('S-2292', 'C-109', '2026-05-18', '2026-05-20', '07:00', 'Lars Dietz',     4),
 ('S-2293', 'C-108', '2026-05-16', '2026-05-17', '08:00', 'Lars Dietz',     8),
 ('S-2294', 'C-103', '2026-05-19', '2026-05-19', '14:00', 'Ruth Adeyemi',  12),
 ('S-2295', 'C-131', '2026-05-26', '2026-05-28', '09:30', 'Nils Ekberg',   10),
 ('S-2296', 'C-115', '2026-06-02', '2026-06-04', '08:00', 'Gus Halloran',   6),
 ('S-2297', 'C-140', '2026-06-05', '2026-06-05', '09:00', 'Ana Beltran',   10),
 ('S-2298', 'C-121', '2026-06-15', '2026-06-16', '07:30', 'Piotr Zych',     6),
 ('S-2299', 'C-101', '2026-06-23', '2026-06-23', '08:30', 'Ruth Adeyemi',  12),
 ('S-2300', 'C-116', '2026-06-26', '2026-06-26', '11:00', 'Gus Halloran',  30),
 ('S-2301', 'C-132', '2026-07-07', '2026-07-08', '09:30', 'Nils Ekberg',   10),
 ('S-2302', 'C-110', '2026-07-13', '2026-07-17', '08:00', 'Lars Dietz',     6),
 ('S-2303', 'C-142', '2026-09-10', '2026-09-11', '09:00', 'Ana Beltran',    8),
 ('S-2304', 'C-122', '2026-05-22', '2026-05-22', '12:30', 'Piotr Zych',     8);

CREATE TABLE enrolments (
  id TEXT PRIMARY KEY, employee_id TEXT NOT NULL REFERENCES employees(id), session_id TEXT NOT NULL REFERENCES sessions(id));
INSERT INTO enrolments VALUES
 ('EN-5501', 'E-1004', 'S-2281'), ('EN-5502', 'E-1016', 'S-2281'), ('EN-5503', 'E-1007', 'S-2289'),
 ('EN-5504', 'E-1006', 'S-2289'), ('EN-5505', 'E-1013', 'S-2289'), ('EN-5506', 'E-1010', 'S-2287'),
 ('EN-5507', 'E-1003', 'S-2292'), ('EN-5508', 'E-1015', 'S-2293'), ('EN-5509', 'E-1006', 'S-2291'),
 ('EN-5510', 'E-1008', 'S-2290'), ('EN-5511', 'E-1014', 'S-2295'), ('EN-5512', 'E-1010', 'S-2288'),
 ('EN-5513', 'E-1011', 'S-2285'), ('EN-5514', 'E-1012', 'S-2287'), ('EN-5515', 'E-1013', 'S-2291'),
 ('EN-5516', 'E-1009', 'S-2298'), ('EN-5517', 'E-1005', 'S-2299'), ('EN-5518', 'E-1017', 'S-2298'),
 ('EN-5519', 'E-1016', 'S-2300'), ('EN-5520', 'E-1002', 'S-2297'), ('EN-5521', 'E-1015', 'S-2299');

CREATE TABLE certificates (
  id TEXT PRIMARY KEY, employee_id TEXT NOT NULL REFERENCES employees(id), course TEXT NOT NULL REFERENCES courses(code),
  issued_on TEXT NOT NULL, expires_on TEXT, score INTEGER NOT NULL);
INSERT INTO certificates VALUES
 ('CT-9001', 'E-1003', 'C-109', '2023-05-20', '2026-05-20', 88), ('CT-9002', 'E-1003', 'C-101', '2024-09-11', '2026-09-11', 79),
 ('CT-9003', 'E-1004', 'C-114', '2025-06-17', '2026-06-17', 93), ('CT-9004', 'E-1004', 'C-115', '2024-12-03', '2026-12-03', 85),
 ('CT-9005', 'E-1005', 'C-101', '2024-06-26', '2026-06-26', 90), ('CT-9006', 'E-1006', 'C-108', '2023-03-12', '2026-03-12', 74),
 ('CT-9007', 'E-1006', 'C-120', '2022-07-05', '2027-07-05', 81), ('CT-9008', 'E-1007', 'C-120', '2021-05-28', '2026-05-28', 95),
 ('CT-9009', 'E-1007', 'C-102', '2024-07-30', '2026-07-30', 77), ('CT-9010', 'E-1008', 'C-131', '2024-02-14', NULL,         89),
 ('CT-9011', 'E-1008', 'C-120', '2020-11-09', '2025-11-09', 72), ('CT-9012', 'E-1009', 'C-121', '2021-06-08', '2026-06-08', 83),
 ('CT-9013', 'E-1010', 'C-130', '2023-10-02', NULL,         91), ('CT-9014', 'E-1010', 'C-101', '2024-08-19', '2026-08-19', 86),
 ('CT-9015', 'E-1012', 'C-115', '2024-12-10', '2026-12-10', 97), ('CT-9016', 'E-1012', 'C-114', '2025-04-29', '2026-04-29', 94),
 ('CT-9017', 'E-1013', 'C-115', '2024-04-22', '2026-04-22', 80), ('CT-9018', 'E-1013', 'C-101', '2024-07-15', '2026-07-15', 75),
 ('CT-9019', 'E-1014', 'C-130', '2022-05-05', NULL,         84), ('CT-9020', 'E-1015', 'C-108', '2020-02-20', '2023-02-20', 82),
 ('CT-9021', 'E-1015', 'C-109', '2023-10-27', '2026-10-27', 90), ('CT-9022', 'E-1016', 'C-114', '2025-03-18', '2026-03-18', 78),
 ('CT-9023', 'E-1016', 'C-115', '2025-01-21', '2027-01-21', 87), ('CT-9024', 'E-1017', 'C-121', '2021-05-11', '2026-05-11', 71);
